"""Long outputs of Waybill's own programs: its tests by name, its table of legs."""

from itertools import islice

_STATES = "created in_transit out_for_delivery delivered delivery_failed returned".split()
_NAMES = {
    "tests/test_webhooks.py": (
        "test_an_event_changes_the_status",
        "test_an_event_that_is_delivered_twice_sends_one_mail",
        "test_two_events_of_one_kind_are_two_events",
        "test_an_unknown_shipment_is_accepted",
        "test_an_unknown_carrier_is_not_found",
        "test_a_body_that_is_no_json_is_refused",
        "test_the_answer_does_not_wait_for_the_mail",
        "test_events_may_come_in_any_order",
    ),
    "tests/test_shipments.py": (
        "test_a_shipment_is_created",
        "test_a_number_that_is_too_short_is_refused",
        "test_a_number_is_known_once",
        "test_nobody_sees_the_shipments_of_others",
        "test_the_list_begins_with_the_newest",
        "test_the_list_has_pages",
        "test_a_shipment_can_be_archived",
        "test_an_archived_shipment_gets_no_mail",
    ),
    "tests/test_poller.py": (
        "test_a_round_asks_for_every_open_shipment",
        "test_delivered_shipments_are_not_asked_for",
        "test_the_poller_backs_off_after_an_error",
        "test_one_shipment_that_fails_does_not_stop_the_others",
        "test_no_transaction_is_open_while_the_carrier_is_asked",
        "test_a_carrier_is_not_asked_more_often_than_it_allows",
    ),
    "tests/test_notify.py": (
        "test_a_mail_names_the_time",
        "test_a_recipient_who_wants_none_gets_none",
        "test_a_mail_that_cannot_be_sent_is_tried_again",
        "test_after_three_attempts_it_is_given_up",
        "test_the_link_in_a_mail_opens_the_tracking_page",
        "test_a_mail_is_written_in_the_language_of_its_recipient",
    ),
    "tests/test_tracking.py": (
        "test_the_page_needs_no_login",
        "test_the_page_tells_nothing_but_the_parcel",
        "test_an_unknown_number_is_not_found",
        "test_times_are_those_of_the_depot",
        "test_the_newest_event_stands_first",
    ),
    "tests/test_reports.py": (
        "test_deliveries_are_counted_by_day",
        "test_a_day_without_deliveries_is_zero",
        "test_the_first_day_has_no_change",
        "test_a_month_ends_at_midnight_of_the_depot",
    ),
}


_DEPOTS = {
    "Depot South": 152,
    "Depot North": 211,
    "Harbour gate": 97,
    "Airport": 188,
    "Old Town": 74,
    "Hill Road": 164,
}
_DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


def legs(hours: range) -> str:
    """How long the last leg takes, by depot, weekday and hour: the median, and how many there are."""
    rows = ["depot         day  hour   count  median   p90"]
    for depot, minutes in _DEPOTS.items():
        for n, day in enumerate(_DAYS):
            for hour in hours:
                count = 40 + (minutes * 7 + hour * 31 + n * 13) % 460
                median = round(minutes * (1.45 - hour * 0.06)) + n
                most = median + 31 + (count + hour) % 24
                rows.append(f"{depot:12}  {day}  {hour:4}  {count:6}  {median:6}  {most:4}")
    return "\n".join(rows)


def errors(hours: range, share: float) -> str:
    """How far the estimate was off, by depot, weekday and hour; `share` of what it was at first."""
    rows = ["depot         day  hour       n  median   p90  worst"]
    for depot, minutes in _DEPOTS.items():
        for n, day in enumerate(_DAYS):
            for hour in hours:
                count = 11 + (minutes * 5 + hour * 29 + n * 17) % 130
                median = round((38 + (minutes + hour * 13 + n * 7) % 61) * share)
                most = round(median * 2.4) + (count + n) % 9
                worst = most + 20 + minutes * (n + 1) % 97
                rows.append(
                    f"{depot:12}  {day}  {hour:4}  {count:6}  {median:6}  {most:4}  {worst:5}"
                )
    return "\n".join(rows)


def suite(count: int, seconds: str) -> str:
    """The output of a run in which so many tests passed."""
    rows = [
        f"{name} PASSED".ljust(96) + f"[{n * 100 // count:3}%]"
        for n, name in enumerate(islice(_all(), count), 1)
    ]
    head = "============================= test session starts =============================="
    told = (
        f"platform linux -- Python 3.13.2, pytest-8.4.1\nrootdir: $REPO\ncollected {count} items\n"
    )
    return "\n".join([head, told, *rows, "", f"==== {count} passed in {seconds}s ===="])


def _all() -> list[str]:
    plain = [f"{file}::{name}" for file, names in _NAMES.items() for name in names]
    moves = [
        f"tests/test_status.py::test_a_status_follows_its_events[{old}-{new}]"
        for old in _STATES
        for new in _STATES
    ]
    hours = [
        f"tests/test_delivery_window.py::test_a_parcel_is_brought_on_a_working_day[{day}-{hour:02}]"
        for day in ("mon", "tue", "wed", "thu", "fri", "sat")
        for hour in range(8, 19)
    ]
    payloads = [
        f"tests/carriers/test_recorded.py::test_a_payload_gives_its_recorded_event[{carrier}-{n:02}]"
        for carrier, most in (("northline", 19), ("parcelio", 12), ("coastal", 12))
        for n in range(1, most + 1)
    ]
    rights = [
        f"tests/test_rights.py::test_a_route_asks_who_you_are[{method} {route}]"
        for route in (
            "/shipments",
            "/shipments/7",
            "/reports",
            "/exports",
            "/settings",
            "/users",
            "/labels",
        )
        for method in ("GET", "POST", "PUT", "DELETE")
    ]
    return [*plain, *moves, *hours, *payloads, *rights]

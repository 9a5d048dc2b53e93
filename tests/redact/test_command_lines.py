import pytest

from tests.redact.repeats import found_at
from unspool.redact.command_lines import RULES
from unspool.redact.rules import RuleSet

COMMANDS = RuleSet(RULES)


def shown(text: str) -> list[str]:
    return [text[one.start : one.end] for one in sorted(COMMANDS.spans(text))]


@pytest.mark.parametrize(
    "text",
    [
        "mysql -phunter2x shop",
        "mysqldump -uroot -p'hunter2x' shop",
        "docker exec db mysql -h 127.0.0.1 -phunter2x",
        '["mysql", "-uroot", "-phunter2x"]',
        "docker login -u me -p hunter2x r.example.org",
        "docker login \\\n  -u me \\\n  -p hunter2x",
        "podman login -p 'hunter2x' r.example.org",
        "helm registry login -p hunter2x r.example.org",
        '["docker", "login", "-p", "hunter2x"]',
        '[\n  "redis-cli",\n  "-a",\n  "hunter2x"\n]',
        r"[\"redis-cli\", \"-a\", \"hunter2x\"]",
        "redis-cli -h cache -a hunter2x ping",
        "redis-server --requirepass hunter2x",
        "sshpass -p hunter2x ssh host",
        "sshpass -phunter2x ssh host",
        "mongosh -u app -p hunter2x",
        "ldapsearch -x -D cn=a -w hunter2x",
        "sqlcmd -U sa -P hunter2x",
        "zip -r -P hunter2x a.zip dir",
        "keytool -list -storepass hunter2x",
        "keytool -importkeystore -srcstorepass hunter2x",
        "echo hunter2x | sudo -S ls",
        "echo -n 'hunter2x' | sudo -k -S ls",
        r"echo \"hunter2x\" | sudo -S ls",
        r"printf '%s\n' hunter2x | sudo -S ls",
        r"printf 'hunter2x\n' | sudo -S ls",
        "echo hunter2x | docker login -u me --password-stdin",
        "echo hunter2x | gh auth login --with-token",
        "sudo -S ls <<< hunter2x",
        "sudo -S ls <<<'hunter2x'",
        r"set -e\nsudo -S ls <<< hunter2x",
        r"cd x\\nredis-cli -a hunter2x",
    ],
)
def test_a_password_on_a_command_line_is_found(text: str) -> None:
    assert shown(text) == ["hunter2x"]


@pytest.mark.parametrize(
    ("text", "cookies"),
    [
        ("curl -b 'a=b1; c=d2' https://x", ["a=b1; c=d2"]),
        ("curl -b a=b1 https://x", ["a=b1"]),
        ('curl --cookie "a=b1" https://x', ["a=b1"]),
        ("curl -b jar.txt https://x", []),
        ("git checkout -b a=b1", []),
    ],
)
def test_cookies_of_a_request_are_found(text: str, cookies: list[str]) -> None:
    assert shown(text) == cookies


@pytest.mark.parametrize(
    "text",
    [
        "mysql -u root -p hunter2x",  # it asks for the password: this is a database
        "mysql -P 3306 hunter2x",
        "docker run -p 8080:8080 hunter2x",
        "mkdir -p hunter2x",
        "ssh -p hunter2x host",
        "cp -a hunter2x there",
        "redis-cli ping; cp -a hunter2x there",
        "redis-cli ping\ncp -a hunter2x there",
        r"redis-cli ping\ncp -a hunter2x there",
        "docker login && mkdir -p hunter2x",
        "ls -S hunter2x",
        "echo hunter2x | sudo tee x",
        "echo hunter2x | ls -S",
        "echo $PASSWORD | sudo -S ls",
        "redis-cli -a $PASSWORD",
        "redis-cli -a <password>",
        "my-redis-cli-of-mine -a hunter2x",
    ],
)
def test_other_arguments_stay(text: str) -> None:
    assert not shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "aws s3api get-object --key reports/2026/a1b2c3d4e5f6g7h8.csv",
        "sort --sort-key a1b2c3d4e5f6g7h8",
        "cache save --cache-key a1b2c3d4e5f6g7h8",
        "ssh-add --key my-deploy-key-2",
    ],
)
def test_an_option_for_another_key_has_none(text: str) -> None:
    assert not shown(text)


@pytest.mark.parametrize("option", ["--key", "--api-key", "--deploy-key", "--private-key"])
def test_an_option_for_a_key_has_one(option: str) -> None:
    assert shown(f"run {option} a1b2c3d4e5f6g7h8 x") == ["a1b2c3d4e5f6g7h8"]


# Where a limit is, one character on each side of it.
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"run --account-key /{'a1B2' * 4}abc", True),
        (f"run --account-key /{'a1B2' * 4}ab", False),
        ("curl -u a:abcd x", True),
        ("curl -u a:abc x", False),
        ("redis-cli -a ab1!", True),
        ("redis-cli -a ab1", False),
        ("run --password ab1!", True),
        ("run --password ab1", False),
        ("run --token a1b2c3d4", True),
        ("run --token a1b2c3d", False),
        ("run --key a1b2c3d4e5f6g7h8", True),
        ("run --key a1b2c3d4e5f6g7h", False),
        ("echo ab1! | sudo -S ls", True),
        ("echo ab1 | sudo -S ls", False),
        ("sudo -S ls <<< ab1!", True),
        ("sudo -S ls <<< ab1", False),
        (f"echo {'a1B2' * 1_024} | sudo -S ls", True),
        (f"echo {'a1B2' * 1_024}a | sudo -S ls", False),
        (f"sudo -S {'x' * 79}<<< hunter2x", True),
        (f"sudo -S {'x' * 80}<<< hunter2x", False),
        (f"echo hunter2x |{'x' * 114} sudo -S", True),
        (f"echo hunter2x |{'x' * 115} sudo -S", False),
        (f"redis-cli {'x' * 245} -a hunter2x", True),
        (f"redis-cli {'x' * 246} -a hunter2x", False),
        (f"curl -u {'a' * 64}:hunter2x", True),
        (f"curl -u {'a' * 65}:hunter2x", False),
        ("curl -u a:hunter2x", True),
        ("curl -u :hunter2x", False),
        (f"run --{'a' * 20}-password hunter2x", True),
        (f"run --{'a' * 21}-password hunter2x", False),
        ("run --a-b-c-d-password hunter2x", True),
        ("run --a-b-c-d-e-password hunter2x", False),
        ("mariadb-abcdefgh -phunter2x", True),
        ("mariadb-abcdefghi -phunter2x", False),
        ("mariadb-a -phunter2x", True),
        ("mariadb- -phunter2x", False),
        (r"redis-cli ping \\ncp -a hunter2x", False),
        (
            r"redis-cli ping \\\ncp -a hunter2x",
            True,
        ),  # a line that goes on, in a string in a string
    ],
)
def test_a_limit_is_where_it_says(text: str, found: bool) -> None:
    assert bool(shown(text)) is found


# With {} as many blanks, quotes or letters as there may be, and with one more.
@pytest.mark.parametrize(
    ("text", "sign", "least", "most"),
    [
        ("run --password{}hunter2x", " ", 1, 4),
        ("curl --cookie{}a=b1", " ", 1, 4),
        ("keytool -storepass{}hunter2x", " ", 1, 4),
        ("redis-cli -a{}hunter2x", " ", 0, 4),
        ('["--password",{}"hunter2x"]', " ", 0, 40),
        ('["--password{}, "hunter2x"]', '"', 1, 65),
        ("curl --user {}me:hunter2x", "'", 0, 65),
        ("docker{}login -p hunter2x", " ", 1, 8),
        ("helm{}registry login -p hunter2x", " ", 1, 8),
        ("echo{}hunter2x | sudo -S", " ", 1, 8),
        ("echo -n {}hunter2x | sudo -S", " ", 0, 7),
        ("echo -{} hunter2x | sudo -S", "n", 1, 3),
        ("echo hunter2x{}| sudo -S", " ", 0, 8),
        ("echo {}hunter2x | sudo -S", "'", 0, 65),
        ("echo hunter2x{} | sudo -S", "'", 0, 65),
        (r"echo hunter2x\{}n | sudo -S", "\\", 0, 63),
        ("printf {}%s hunter2x | sudo -S", "'", 0, 65),
        ("printf %s{} hunter2x | sudo -S", "'", 0, 65),
        ("printf %s{}hunter2x | sudo -S", " ", 1, 8),
        ("printf %s{}n hunter2x | sudo -S", "\\", 1, 64),
        ("sudo -S <<<{}hunter2x", " ", 0, 8),
        ("sudo -S <<<{}hunter2x", "'", 0, 65),
    ],
)
def test_so_many_blanks_and_quotes_may_be_there(
    text: str, sign: str, least: int, most: int
) -> None:
    assert found_at(COMMANDS, text, sign, least, most, most + 1) == [True, True, False]
    assert least == 0 or found_at(COMMANDS, text, sign, least - 1) == [False]


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("curl -u admin:{} x", 20_000),
        ("sudo -S ls <<< {}", 20_000),
        ("run --password {} x", 20_000),
        ("run --password '{}' x", 20_000),
        ("echo {} | sudo -S ls", 4_096),
    ],
)
def test_a_long_password_is_found_whole(text: str, longest: int) -> None:
    password = "a1B2" * (longest // 4)

    assert shown(text.format(password)) == [password]


def test_an_echo_behind_the_pipe_is_not_the_one_that_writes_to_it() -> None:
    assert shown("echo hunter2x | ssh host 'echo begun; sudo -S ls'") == ["hunter2x"]


@pytest.mark.parametrize("password", ["pa55w0rd/x1", "pa55w0rd:x1", "pa55/w0:rd/"])
def test_a_password_of_a_login_goes_on_to_the_end_of_its_word(password: str) -> None:
    assert shown(f"curl -u admin:{password} https://example.com/a") == [password]

// What a page that means harm would try: every way a browser has to reach another address.
// Each attempt tells how many bytes of an answer the page could get hold of.
async ({ target, paths }) => {
  const seen = {};
  const patience = (work) =>
    Promise.race([work, new Promise((done) => setTimeout(() => done(0), 1500))]);
  const tried = async (name, work) => {
    seen[name] = await patience(work().catch(() => 0));
  };
  const element = (tag, set) =>
    new Promise((done) => {
      const made = document.createElement(tag);
      made.onload = () => done(made.naturalWidth ?? 1);
      made.onerror = () => done(0);
      set(made);
      document.body.append(made);
    });

  for (const path of paths) {
    const url = target + path;
    for (const credentials of ["include", "omit"]) {
      for (const mode of ["cors", "no-cors"]) {
        await tried(`fetch ${mode} ${credentials} ${path}`, async () => {
          const answer = await fetch(url, { mode, credentials });
          return (await answer.text()).length;
        });
      }
    }
    await tried(`image ${path}`, () => element("img", (it) => (it.src = url)));
    await tried(`script ${path}`, () => element("script", (it) => (it.src = url)));
    await tried(`module ${path}`, () =>
      element("script", (it) => ((it.type = "module"), (it.src = url))),
    );
    await tried(`style ${path}`, () =>
      element("link", (it) => ((it.rel = "stylesheet"), (it.href = url))),
    );
    await tried(`frame ${path}`, async () => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
      await new Promise((done) => setTimeout(done, 200));
      try {
        return frame.contentDocument?.body?.innerText.length ?? 0;
      } catch {
        return 0;
      }
    });
    await tried(`stream ${path}`, () =>
      new Promise((done) => {
        const stream = new EventSource(url, { withCredentials: true });
        stream.onopen = () => done(1);
        stream.onmessage = (event) => done(event.data.length);
        stream.onerror = () => (stream.close(), done(0));
      }),
    );
    await tried(`socket ${path}`, () =>
      new Promise((done) => {
        const socket = new WebSocket(url.replace("http", "ws"));
        socket.onopen = () => done(1);
        socket.onmessage = (event) => done(event.data.length);
        socket.onerror = () => done(0);
      }),
    );
  }
  const event = '{"hook_event_name":"Stop","session_id":"planted-by-evil"}';
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
    for (const path of ["/api/events", "/api/enter", "/api/sessions/session-one"]) {
      for (const mode of ["cors", "no-cors"]) {
        await tried(`post ${mode} ${type} ${path}`, async () => {
          const answer = await fetch(target + path, {
            method: "POST",
            mode,
            credentials: "include",
            headers: { "Content-Type": type },
            body: event,
          });
          return (await answer.text()).length;
        });
      }
    }
  }
  await tried("beacon", async () => (navigator.sendBeacon(target + "/api/events", event), 0));
  await tried("form", async () => {
    const frame = document.createElement("iframe");
    frame.name = "sink";
    const form = document.createElement("form");
    Object.assign(form, { method: "POST", enctype: "text/plain", target: "sink" });
    form.action = target + "/api/events";
    const field = document.createElement("input");
    Object.assign(field, { name: '{"hook_event_name":"Stop","x":"', value: '"}' });
    form.append(field);
    document.body.append(frame, form);
    form.submit();
    await new Promise((done) => setTimeout(done, 300));
    try {
      return frame.contentDocument?.body?.innerText.length ?? 0;
    } catch {
      return 0;
    }
  });
  return seen;
}

// Run rooms.js against a server and a clock in the page: three things that may happen, in all orders, with or without
// time in between. Returns the orders after which the page does not show what the server has.
async ([isBlocked, hasVersions, seconds]) => {
  const { connect } = await import("/static/any/shared/rooms.js");
  let now, timers, socket, server, mailbox, poll, lastId = 0;
  window.setTimeout = (run, delay = 0) => timers.push({ id: ++lastId, at: now + delay, run }) && lastId;
  window.clearTimeout = (id) => { timers = timers.filter((timer) => timer.id !== id); };
  Date.now = performance.now = () => now;
  Math.random = () => 0.5;
  async function tick(until = Infinity) {
    const [next] = timers.sort((one, other) => one.at - other.at);
    if (!next || next.at > until) return false;
    timers.shift();
    now = Math.max(now, next.at);
    next.run();
    for (let turn = 0; turn < 9; turn++) await null;
    return true;
  }
  const encode = (kind, data, more) =>
    ({ kind, data, type: kind, epoch: server.epoch, sequence: server.sequence, timestamp: "2026-01-01T00:00Z", ...more });
  const heartbeat = () => ({ epoch: server.epoch, sequence: server.last, version: server.version });
  const state = () => encode("state", server.count);
  function join(url) {
    const { epoch, sequence } = Object.fromEntries(new URL(url, location).searchParams);
    if (epoch !== server.epoch) return [encode("snapshot", server.version)];
    return server.log.filter((event) => event.sequence > sequence);
  }
  window.WebSocket = class {
    constructor(url) {
      socket = this;
      setTimeout(() => {
        if (isBlocked) return this.onclose({ code: 1006 });
        this.isOpen = true;
        this.onopen();
        for (const message of [...join(url), state()]) this.receive(message);
      }, 5);
    }
    receive(message) { if (this.isOpen) this.onmessage({ data: JSON.stringify(message) }); }
    send() { setTimeout(() => this.receive({ type: "pong", data: heartbeat(), timestamp: "2026-01-01T00:00Z" }), 5); }
    close() { this.isOpen = false; }
  };
  // As rooms do it: what a response contained is not sent again to a client with the position after it.
  window.fetch = (url) => new Promise((resolve, reject) => {
    const ends = now + 25_000, position = new URL(url).search;
    const isNew = position !== mailbox?.position;
    poll = { reject };
    const answer = () => {
      const messages = join(url);
      if (isNew || mailbox.count !== server.count) messages.push(state());
      if (!messages.length && now < ends) return void setTimeout(answer, 500);
      const { epoch, sequence } = messages.filter(({ kind }) => kind !== "state").at(-1) ?? {};
      mailbox = { position: epoch ? `?epoch=${epoch}&sequence=${sequence}` : position, count: server.count };
      const body = { messages, heartbeat: heartbeat() };
      setTimeout(() => resolve({ ok: true, status: 200, json: async () => body }), 5);
    };
    setTimeout(answer, 5);
  });
  const actions = {
    publish(isLost = false) {
      const previous = server.last;
      const event = encode("event", ++server.version, { sequence: ++server.sequence, previous });
      server.last = server.sequence;
      if (!isLost) server.log.push(event), socket.receive(event);
    },
    lose() { actions.publish(true); },
    skip() { server.version++; },
    update() { server.count++; socket.receive(state()); },
    drop() {
      poll?.reject(new Error("lost"));
      if (socket.isOpen) socket.close(), socket.onclose({ code: 1006 });
    },
    restart() {
      Object.assign(server, { epoch: `${server.epoch}+`, sequence: 0, last: 0, log: [] });
      actions.drop();
    },
  };
  const names = Object.keys(actions).filter((name) => hasVersions || name !== "skip"), wrong = [];
  for (let order = 0; order < (2 * names.length) ** 3; order++) {
    now = 1, timers = [], mailbox = poll = undefined;
    server = { epoch: "e", sequence: 4, last: 4, version: 1, count: 0, log: [] };
    const shown = { snapshot: 0, state: -1 };
    const room = connect({
      url: "/socket", pollUrl: "/poll", version: hasVersions ? () => shown.snapshot : undefined,
      onMessage: ({ kind, data }) => { shown[kind === "state" ? kind : "snapshot"] = data; },
    });
    while (await tick(3000));
    const steps = [0, 1, 2].map((place) => Math.floor(order / (2 * names.length) ** place) % (2 * names.length));
    for (const step of steps) {
      actions[names[step >> 1]]();
      if (step % 2) await tick();
      else for (let turn = 0; turn < 9; turn++) await null;
    }
    const end = now + 1000 * seconds;
    while (await tick(end));
    if (shown.snapshot !== server.version || shown.state !== server.count)
      wrong.push(`${steps.map((step) => names[step >> 1] + (step % 2 ? " tick" : ""))}: ${JSON.stringify([shown, server])}`);
    room.close();
  }
  return wrong;
}

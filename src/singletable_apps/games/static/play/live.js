// temp
export function connect(start, on) {
  const headers = { Authorization: `Bearer ${start.token}`, Accept: "application/json" };
  let seen = "";
  async function poll() {
    try {
      const answer = await fetch(`${start.api}/view`, { headers });
      if (!answer.ok) return on.closed("no");
      const text = await answer.text();
      on.state("online");
      if (text !== seen) on.snapshot(JSON.parse(text));
      seen = text;
    } catch { on.state("offline"); }
    setTimeout(poll, 700);
  }
  setTimeout(poll, 300);
  return {
    async send(type, data, id) {
      const form = new URLSearchParams({ question_id: data.questionId, client_id: id });
      if (data.text) form.set("text", data.text);
      if (data.number != null) form.set("number", data.number);
      for (const c of data.choices ?? []) form.append("choices", c);
      (data.ranking ?? []).forEach((c, i) => form.set(`place-${c}`, i + 1));
      const r = await fetch(location.pathname + "/" + type, { method: "POST", body: form, redirect: "manual" });
      if (r.type !== "opaqueredirect") throw { code: "x", message: "Rejected" };
      return { outcome: "accepted" };
    },
  };
}

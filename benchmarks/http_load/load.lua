-- The requests that wrk sends, and the summary it prints. The argument is a Lua file that returns a
-- table: `headers`; `bodies`, sent in turn; and their numbers, from `first` on: `span` of them
-- repeatedly, or always new ones without a span. `remaining` is the number of requests after which
-- sending stops.
local spec, turn, number

function init(args)
  spec = dofile(args[1])
  turn, number = 0, spec.first - 1
  wrk.method = "POST"
  for name, value in pairs(spec.headers) do
    wrk.headers[name] = value
  end
end

function request()
  if spec.remaining then
    spec.remaining = spec.remaining - 1
    if spec.remaining == 0 then
      wrk.thread:stop()
    end
  end
  turn = turn % #spec.bodies + 1
  number = number + 1
  if spec.span and number >= spec.first + spec.span then
    number = spec.first
  end
  local last_three = number % 1000
  local values = {
    m = last_three, k = string.format("%09d", last_three), n = string.format("%09d", number), y = number
  }
  return wrk.format(nil, nil, nil, (spec.bodies[turn]:gsub("<([mkny])>", values)))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "received": %d, "p50": %d, "p99": %d, ' ..
    '"rejected": %d, "broken": %d}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end

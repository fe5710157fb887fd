-- What wrk sends, and what it tells in the end. The argument is a file that gives a table:
-- `headers`; `bodies`, sent in turn; and the numbers for them, from `first` on, `span` of them
-- again and again, or ever new ones if there is no span.
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
  turn = turn % #spec.bodies + 1
  number = number + 1
  if spec.span and number >= spec.first + spec.span then
    number = spec.first
  end
  local rest = number % 1000
  local marks = {
    m = rest, k = string.format("%09d", rest), n = string.format("%09d", number), y = number
  }
  return wrk.format(nil, nil, nil, (spec.bodies[turn]:gsub("<([mkny])>", marks)))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "received": %d, "p50": %d, "p99": %d, ' ..
    '"refused": %d, "broken": %d}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end

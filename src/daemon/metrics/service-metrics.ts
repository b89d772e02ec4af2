import { Counter, Histogram, type Registry } from 'prom-client'
import type { Exchange } from '../../adapter/transport.ts'

const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Counts the requests to the service. Returns the function that receives them. */
export function serviceMetrics(registers: Registry[]): (exchange: Exchange) => void {
  const requests = new Counter({
    name: 'audience_service_requests_total',
    help: 'Requests to the service, by operation and what became of them: done, rejected, unknown or notSent.',
    labelNames: ['operation', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'audience_service_request_duration_seconds',
    help: 'How long requests to the service took, without the waiting for a turn.',
    labelNames: ['operation'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  return ({ operation, outcome, durationMs }) => {
    requests.inc({ operation, outcome })
    duration.observe({ operation }, durationMs / 1000)
  }
}

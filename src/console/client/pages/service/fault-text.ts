import { formatDuration } from '../../../../core/format/duration-text.ts'
import { count, formatNumber, formatShare } from '../../../../core/format/figures.ts'
import type { Fault, FaultInput } from '../../api/types.ts'

export type FaultInputAction = FaultInput['action']

const ACTIONS: Readonly<Record<FaultInputAction, (spec: FaultInput) => string>> = {
  status: ({ status, retryAfter }) =>
    `status ${status} instead of the operation${retryAfter === undefined ? '' : `, with Retry-After ${retryAfter}`}`,
  delay: ({ delayMs = 0 }) => `the operation happens ${formatDuration(delayMs)} later`,
  resetBefore: () => 'the connection breaks, and nothing happens',
  resetAfter: () => 'the operation happens, then the connection breaks',
  truncate: () => 'the operation happens, but only half of the response arrives',
  garbage: ({ garbage = 'html' }) => `the operation happens, but the response is unreadable ${garbage.toUpperCase()}`,
  duplicate: () => 'the list repeats a row of the previous page',
  lag: ({ delayMs = 0 }) => `what it creates is not found for ${formatDuration(delayMs)}`,
}

/** The names of the actions in the form. */
export const ACTION_LABELS: Readonly<Record<FaultInputAction, string>> = {
  status: 'an error status',
  delay: 'a late answer',
  resetBefore: 'the connection breaks before anything happens',
  resetAfter: 'the connection breaks after the operation has happened',
  truncate: 'half of a response',
  garbage: 'an unreadable answer',
  duplicate: 'a list repeats a row of the previous page',
  lag: 'what the operation creates is not found for a while',
}

/**
 * Says which requests a fault affects, and what it does to them, such as `The first 2 requests to segments.create:
 * status 503 instead of the operation`.
 */
export function faultText(spec: FaultInput): string {
  const to = spec.operation === '*' ? 'to any operation' : `to ${spec.operation}`
  return `${whichText(spec)} ${to}: ${ACTIONS[spec.action](spec)}`
}

/** Whether the fault has been applied as often as it may be. */
export function isUsedUp({ nth, times, applied }: Fault): boolean {
  return applied >= (times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1))
}

function whichText({ nth, probability, times }: FaultInput): string {
  if (probability !== undefined) {
    const most = times === undefined ? '' : ` (${formatNumber(times)} at most)`
    return `About ${formatShare(probability)} of the requests${most}`
  }
  if (nth !== undefined)
    return times === undefined || times === 1
      ? `Request number ${formatNumber(nth)}`
      : `${count(times, 'request')}, beginning with number ${formatNumber(nth)},`
  if (times === undefined) return 'Every request'
  return times === 1 ? 'The first request' : `The first ${formatNumber(times)} requests`
}

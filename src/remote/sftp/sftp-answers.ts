import type { AudienceError } from '../../core/errors.ts'
import { printable } from '../../core/printable.ts'
import { remoteError } from '../../core/remote-error.ts'
import { type Answer, STATUS } from './packets.ts'

/** The error for an answer that a request cannot use. */
export function unexpected(answer: Answer, what: string, act: 'read' | 'write' = 'read'): AudienceError {
  const said = answer.kind === 'status' ? printable(answer.message).slice(0, 100) || `code ${answer.code}` : answer.kind
  const message = `${printable(what).slice(0, 300)}: the server says "${said}"`
  const isRefused = answer.kind === 'status' && [STATUS.refused, STATUS.failure].some((code) => code === answer.code)
  if (!isRefused) return remoteError('source-unreachable', { message })
  return act === 'write'
    ? remoteError('source-read-only', {
        message,
        hint: 'ask the owner of the server to let this account move files, or write done: keep',
      })
    : remoteError('source-access-refused', {
        message,
        hint: 'ask the owner of the server to let this account read there',
      })
}

/** The result of some work, or the reason of the signal as soon as it aborts. */
export function withSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined)
    return Promise.reject(signal.reason)
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

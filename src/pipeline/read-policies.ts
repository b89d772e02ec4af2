import { TERMINAL_JOB_STATUSES } from '../contract/enumerations.ts'
import { parseDuration } from '../core/duration.ts'
import { type AwaitRule, RETRY_REASONS, type RetryPolicy } from '../core/pipeline.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'

/** The default `await` of a document. */
export const DEFAULT_AWAIT: AwaitRule = {
  timeoutMs: 24 * 3_600_000,
  approvalTimeoutMs: 7 * 24 * 3_600_000,
  poll: { initialMs: 500, maxMs: 30_000 },
  accept: ['SUCCESS'],
}

/** The default values of a `retry`; without `retry` a step is attempted once. */
const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 3,
  delayMs: 10_000,
  backoff: 2,
  maxDelayMs: 300_000,
  on: ['jobFailed', 'unavailable'],
}

/** A document's `await`, with missing fields from `base`; `base` itself if there is none. */
export function readAwait(node: DocumentNode | undefined, base: AwaitRule | false): AwaitRule | false {
  if (!node) return base
  if (node.kind === 'scalar') return node.value === false ? false : base || DEFAULT_AWAIT
  const rule = base || DEFAULT_AWAIT
  const poll = childOf(node, 'poll')
  const accept = itemsOf(childOf(node, 'accept')).flatMap((item) => oneOf(TERMINAL_JOB_STATUSES, item) ?? [])
  return {
    timeoutMs: durationAt(node, 'timeout') ?? rule.timeoutMs,
    approvalTimeoutMs: durationAt(node, 'approvalTimeout') ?? rule.approvalTimeoutMs,
    poll: {
      initialMs: durationAt(poll, 'initial') ?? rule.poll.initialMs,
      maxMs: durationAt(poll, 'max') ?? rule.poll.maxMs,
    },
    accept: accept.length > 0 ? accept : rule.accept,
  }
}

/** A document's `retry`, with missing fields from `base`. */
export function readRetry(node: DocumentNode | undefined, base: RetryPolicy | undefined): RetryPolicy | undefined {
  if (!node) return base
  const policy = base ?? DEFAULT_RETRY
  const on = itemsOf(childOf(node, 'on')).flatMap((item) => oneOf(RETRY_REASONS, item) ?? [])
  return {
    maxAttempts: numberAt(node, 'maxAttempts') ?? policy.maxAttempts,
    delayMs: durationAt(node, 'delay') ?? policy.delayMs,
    backoff: numberAt(node, 'backoff') ?? policy.backoff,
    maxDelayMs: durationAt(node, 'maxDelay') ?? policy.maxDelayMs,
    on: on.length > 0 ? on : policy.on,
  }
}

/** The duration under a key, in milliseconds. */
export function durationAt(node: DocumentNode | undefined, key: string): number | undefined {
  const text = textOf(childOf(node, key))
  return text === undefined ? undefined : parseDuration(text)
}

export function numberAt(node: DocumentNode | undefined, key: string): number | undefined {
  const child = childOf(node, key)
  if (child?.kind !== 'scalar') return undefined
  const { value } = child
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : undefined
}

/** The option that a node names, as its literal type. */
export function oneOf<const Option extends string>(
  options: readonly Option[],
  node: DocumentNode | undefined,
): Option | undefined {
  const text = textOf(node)
  return options.find((option) => option === text)
}

export function isTrue(node: DocumentNode | undefined): boolean {
  return node?.kind === 'scalar' && node.value === true
}

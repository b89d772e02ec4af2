import { limitedList, type ObjectSchema } from './json-schema.ts'

/** The kinds of events about which people can be notified. */
export const NOTIFY_EVENTS = [
  'failure',
  'partial',
  'warning',
  'recovery',
  'decision',
  'approval',
  'missed',
  'skipped',
  'late',
  'partnerWaits',
  'stuck',
  'optOuts',
  'deployment',
  'source',
] as const
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number]

/** How important a pipeline is, in PagerDuty's words. */
export const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]
/** The severity of a pipeline whose document gives none. */
export const DEFAULT_SEVERITY: Severity = 'error'

/** Who is notified about a pipeline, and about which events. The next wider rule supplies what this rule omits. */
interface NotifyRule {
  /** Names of channels. */
  readonly to?: readonly string[] | undefined
  /** Empty: no notifications. */
  readonly on?: readonly NotifyEvent[] | undefined
}

/** The rule of a document. */
export interface DocumentRule extends NotifyRule {
  readonly severity?: Severity | undefined
}

/** The rules of audience.yaml. */
export interface NotifyRules extends NotifyRule {
  readonly routes?: readonly NotifyRoute[] | undefined
  /**
   * While a pipeline keeps failing, at most one message in each such period says so. Undefined: each failure gets a
   * message.
   */
  readonly repeatMs?: number | undefined
  readonly summary?: SummaryRule | undefined
  /** How long a step waits for a partner before people get a message; undefined: no message. */
  readonly partnerWaitsAfterMs?: number | undefined
}

/** One message a day about what ran, what failed and what is waiting. */
export interface SummaryRule {
  /** `08:00`, by the clock of the zone. */
  readonly at: string
  readonly timezone: string
  readonly to?: readonly string[] | undefined
}

/** Matches a notification if every field of the rule matches. */
export interface NotifyRoute extends NotifyRule {
  readonly severity?: Severity | undefined
  readonly owner?: string | undefined
  /** Names of pipelines; `*` stands for any characters. */
  readonly pipelines?: readonly string[] | undefined
  /** An unanswered question is sent again after each such period. */
  readonly remindMs?: number | undefined
  /** If a question is still unanswered after `afterMs`, the channels in `to` get one message about it. */
  readonly escalate?: { readonly afterMs: number; readonly to: readonly string[] } | undefined
}

/** The keys of a rule, in audience.yaml and in a document. */
export const notifyRuleProperties = {
  to: limitedList(
    { minItems: 1, maxItems: 100, uniqueItems: true },
    { type: 'string' },
    'The channels of audience.yaml that get the messages, by name.',
  ),
  on: limitedList(
    { uniqueItems: true },
    { enum: NOTIFY_EVENTS },
    'What people get messages about: failure, partial (a run succeeded, but steps with continueOnError or items of a forEach failed), warning (a guard with `onBreach: warn` let a run go on), recovery (the first success after a failure), decision and approval (a run waits for a person), missed (a time of a schedule passed without a run), skipped (times of a schedule were skipped because a run waits for a person or a partner), late (past its deadline), partnerWaits (a step waits for a partner for longer than `partnerWaits.after` in audience.yaml; off if that key is missing), stuck (no process is working on a run), optOuts (an opt-out list of `privacy.suppress` cannot be used, so that no list can be prepared), deployment (a commit of `pipelines.git` is refused, or its repository cannot be reached for 15 minutes), source (a source on another machine cannot be used by the triggers that watch it, or its files cannot be moved). An empty list: nothing.',
  ),
} as const satisfies ObjectSchema['properties']

import type { ErrorReport } from './errors.ts'
import type { NotifyEvent, Severity } from './notify-rule.ts'

/** One message for people. Plain data: it is stored until it is delivered. */
export interface Notification {
  /** Identifies the subject, such as `failure/RUN`. Two notifications with the same key are the same. */
  readonly key: string
  /** `answered` is for channels that close what they have opened. */
  readonly event: NotifyEvent | 'answered' | 'summary'
  /**
   * Set if this notification says that an earlier event of this kind is over. Both have the same subject (`subjectOf`).
   */
  readonly ends?: 'failure' | 'approval' | 'decision' | 'optOuts' | 'deployment' | 'source' | undefined
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
  /** If empty, the message is about all pipelines. */
  readonly pipeline: string
  /** The source in audience.yaml, if the notification is about a source instead of a single pipeline. */
  readonly source?: string | undefined
  /** The person or team that is responsible for the pipeline, as its document says. */
  readonly owner?: string | undefined
  readonly severity?: Severity | undefined
  readonly trigger?: string
  readonly runId?: string
  /** The step execution as people write it, such as `activate` or `each[3]`. */
  readonly step?: string
  /**
   * The page of the console that shows it, relative to the address of the console. Default: the run, or the pipeline.
   */
  readonly page?: string | undefined
  /** What happened, as one sentence without its full stop. */
  readonly title: string
  readonly error?: Pick<ErrorReport, 'code' | 'message' | 'hint' | 'at' | 'request'>
  /** Further facts, one sentence each. */
  readonly details?: readonly string[]
  /** What to do next: commands that can be pasted. */
  readonly next: readonly string[]
}

/**
 * What a notification is about, for code that groups messages and closes alerts: a pipeline, a source, or (empty) all
 * pipelines.
 */
export function subjectOf({ pipeline, source }: Pick<Notification, 'pipeline' | 'source'>): string {
  return source === undefined ? pipeline : `sources/${source}`
}

import { FINAL_STATUSES, UNFINISHED_STATUSES } from '../../core/format/statuses.ts'
import { DEPLOYMENT_STATES } from '../deployment/deployment-state.ts'

/**
 * A family of metrics. The metrics of the daemon, docs/reference/metrics.md and the dashboard are generated from it, so
 * its text must suit all three.
 */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** What it counts or shows, without a full stop at the end. */
  readonly help: string
  /** Its labels, with their values if these are fixed. */
  readonly labels?: Readonly<Record<string, readonly string[]>>
  /** The upper bounds of a histogram. */
  readonly buckets?: readonly number[]
  /** Read from the state at each scrape, so it is the same in every process and includes the time before a restart. */
  readonly ofState?: true
}

/** From a second to two days, because runs wait for jobs and for people. */
const RUN_SECONDS = [1, 10, 60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800]
const LATENESS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** For a label whose values are not listed here: names, or values that are defined elsewhere. */
const ANY: readonly string[] = []

/** Every family of metrics that a daemon has, in the order of the reference page. */
export const METRICS = {
  audience_runs_started_total: { type: 'counter', help: 'Runs that began', labels: { pipeline: ANY } },
  audience_runs_total: {
    type: 'counter',
    help: 'Runs that ended',
    labels: { pipeline: ANY, status: FINAL_STATUSES },
  },
  audience_run_duration_seconds: {
    type: 'histogram',
    help: 'From the submission of a run to its end, including waits',
    labels: { status: FINAL_STATUSES },
    buckets: RUN_SECONDS,
  },
  audience_steps_total: { type: 'counter', help: 'Step executions that ended', labels: { type: ANY, status: ANY } },
  audience_step_retries_total: {
    type: 'counter',
    help: 'Failed attempts at a step that were followed by another attempt',
    labels: { type: ANY },
  },
  audience_runs: {
    type: 'gauge',
    help: 'Runs that have not ended; waiting means waiting for a person',
    labels: { state: UNFINISHED_STATUSES },
    ofState: true,
  },
  audience_runs_worked_on: { type: 'gauge', help: 'Runs that this process is working on' },
  audience_waits: { type: 'gauge', help: 'Jobs and other things that this process is waiting for' },
  audience_runs_unattended: {
    type: 'gauge',
    help: 'Runs that have begun and not ended, and that no process owns or can continue',
  },
  audience_pipelines: { type: 'gauge', help: 'Documents that are active' },
  audience_pipeline_problems: {
    type: 'gauge',
    help: 'Documents with problems that a person must fix; the last valid version of each stays active',
  },
  audience_pipeline_loaded_timestamp_seconds: {
    type: 'gauge',
    help: 'When this process first loaded a pipeline; only for pipelines that are loaded now',
    labels: { pipeline: ANY },
  },
  audience_pipeline_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When the newest successful run of a loaded pipeline ended',
    labels: { pipeline: ANY },
    ofState: true,
  },
  audience_slots_total: {
    type: 'counter',
    help: 'Slots of schedules, by outcome',
    labels: { pipeline: ANY, outcome: ['ran', 'skipped', 'missed', 'failed'] },
  },
  audience_slot_lateness_seconds: {
    type: 'histogram',
    help: 'The time from a slot, including jitter, to the record of its run; slots that are caught up or backfilled count with their full lateness',
    buckets: LATENESS_SECONDS,
  },
  audience_files_total: {
    type: 'counter',
    help: 'Files of watched folders, by whether they got a run',
    labels: { pipeline: ANY, outcome: ['ran', 'skipped', 'failed'] },
  },
  audience_sets_total: {
    type: 'counter',
    help: 'Sets of ended runs for after triggers, by outcome',
    labels: { pipeline: ANY, outcome: ['ran', 'skipped', 'missed', 'failed'] },
  },
  audience_service_requests_total: {
    type: 'counter',
    help: 'Requests to the service, including each repetition',
    labels: { operation: ANY, outcome: ['done', 'rejected', 'unknown', 'notSent'] },
  },
  audience_service_request_duration_seconds: {
    type: 'histogram',
    help: 'How long requests to the service took, not counting the wait for their turn',
    labels: { operation: ANY },
    buckets: REQUEST_SECONDS,
  },
  audience_notification_attempts_total: {
    type: 'counter',
    help: 'Attempts to notify people; "failed" means that delivery was given up',
    labels: { outcome: ['delivered', 'retried', 'failed'] },
  },
  audience_notifications: {
    type: 'gauge',
    help: 'Notifications that are waiting for delivery, and those that were given up in the last 30 days',
    labels: { state: ['pending', 'failed'] },
    ofState: true,
  },
  audience_deployment: {
    type: 'gauge',
    help: 'How the git repository differs from the pipelines in use: 1 for the state that applies, 0 for the others',
    labels: { state: DEPLOYMENT_STATES },
    ofState: true,
  },
  audience_source_files: {
    type: 'gauge',
    help: 'Files of sources on other machines: those that wait there, and those that are taken but not yet filed away',
    labels: { source: ANY, state: ['waiting', 'open'] },
    ofState: true,
  },
  audience_source_reached_timestamp_seconds: {
    type: 'gauge',
    help: 'When any trigger last listed the files of a source',
    labels: { source: ANY },
    ofState: true,
  },
  audience_source_failing_since_timestamp_seconds: {
    type: 'gauge',
    help: 'When a trigger first found the problem with this code at a source; absent if the source does not have the problem',
    labels: { source: ANY, code: ANY },
    ofState: true,
  },
  audience_keeper: {
    type: 'gauge',
    help: '1 if this process runs schedules, watches folders and notifies people; only one process of a state does',
  },
  audience_ready: {
    type: 'gauge',
    help: '1 if a check of /readyz passes, 0 if not',
    labels: { check: ['state', 'pipelines', 'folders', 'service', 'runs', 'optOuts', 'draining'] },
  },
  audience_state_readable: {
    type: 'gauge',
    help: '0 if the state could not be read for this scrape; the gauges of the state are then absent',
  },
  audience_state_disk_free_bytes: {
    type: 'gauge',
    help: 'Free space on the disk of the state folder',
  },
  audience_state_disk_size_bytes: { type: 'gauge', help: 'Size of the disk of the state folder' },
  audience_build_info: { type: 'gauge', help: 'Always 1', labels: { version: ANY, node: ANY } },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory of this process' },
  process_cpu_seconds_total: { type: 'counter', help: 'CPU time of this process' },
  process_start_time_seconds: { type: 'gauge', help: 'When this process was started' },
} as const satisfies Readonly<Record<string, MetricDefinition>>

export type MetricName = keyof typeof METRICS

/** The families of a type. */
export type MetricOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[MetricName]

/** A condition for the daemon to do its work. */
export type ReadyCheck = (typeof METRICS)['audience_ready']['labels']['check'][number]

import type { Logger } from 'pino'
import type { Settings } from '../../config/settings.ts'
import type { SteadyClock } from '../../core/clock.ts'
import type { Engine, UploadersOf } from '../../core/engine.ts'
import type { JsonText } from '../../core/json.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { RemoteSource } from '../../core/remote-source.ts'
import type { GitVersion, StepOutputs } from '../../core/run.ts'
import type { ServiceRef } from '../../core/service-ref.ts'
import type { StepType } from '../../core/step-type.ts'
import type { LiveDocument, PipelinesProblem, ReadDocument } from '../../daemon/documents/live-documents.ts'
import type { NotReady } from '../../daemon/health/readiness.ts'
import type { ForecastStep } from '../../pipeline/step-plan.ts'
import type { CallControl } from '../../service/local/control-client.ts'
import type { RunRow } from '../../state/run-history.ts'
import type { State } from '../../state/state.ts'
import type { WorkerRow } from '../../state/worker-row.ts'
import type { Beside, ViewId } from './views/view.ts'

/** The parts of the daemon that the console shows and works on. */
export interface ConsoleDeps {
  random: () => number
  /** The git version of a document; undefined if it cannot be found. */
  gitVersionOf: (document: Pipeline) => Promise<GitVersion | undefined>
  uploadersOf: UploadersOf
  settings: Settings
  state: State
  /** Makes the response of an operation in the thread that reads the state. */
  view: (id: ViewId, input: object, beside?: Beside) => Promise<JsonText>
  engine: Engine
  /** The processes that work on the same state; absent if only this process does. */
  sharing?: { workers(): Promise<readonly WorkerRow[]> }
  clock: SteadyClock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  version: string
  /** The service of the daemon. */
  here: ServiceRef
  /** The environment variables that documents may read. */
  env: Readonly<Record<string, string | undefined>>
  /** The current pipelines, by name. */
  documents(): ReadonlyMap<string, LiveDocument>
  /** Opens a source on another machine by its name in audience.yaml; undefined if there is none. */
  openSource: (name: string) => Promise<RemoteSource | undefined>
  problems(): readonly PipelinesProblem[]
  /** The daemon's failing checks. */
  notReady(): Promise<readonly NotReady[]>
  /** Reads a document in the same way as the daemon reads documents in its folder. Throws InvalidDocumentError. */
  readDocument: ReadDocument
  /** Reads a pipeline from a stored text. Throws InvalidDocumentError. */
  readPipeline(source: { file: string; text: string }): Pipeline
  stepTypes: ReadonlyMap<string, StepType>
  forecast: ForecastStep
  lastSuccess(pipeline: string): Promise<{ row: RunRow; outputs: StepOutputs } | undefined>
  /** Treats the values of the environment variables that a pipeline names as secrets from now on. */
  protect(pipeline: Pipeline): void
  /** Removes the secrets of this process from a text. */
  redact(text: string): string
  /** The control API of the embedded service; undefined if the daemon uses another service. */
  control: CallControl | undefined
  /** The folder of the client's bundle. It may not exist. */
  bundle: string
}

import type { Pipeline } from '../../core/pipeline.ts'
import type { RunRecord, StoredRecord } from '../../core/run.ts'

/**
 * How often, at most, this process leaves the same run to others. Each of the others checks the queue several times a
 * second.
 */
const MOST_TIMES = 20
/** This process does not know which runs others have taken, so beyond this number it forgets the oldest. */
const MOST_REMEMBERED = 10_000

type Submission = Extract<RunRecord, { type: 'run.submitted' }>

/** How a worker finds out whether it has the files of a run. */
export interface InputFiles {
  /** The first file among the inputs of a run that this process cannot read; undefined if there is none. */
  unreadable(
    pipeline: Pick<Pipeline, 'inputs'>,
    submission: Pick<Submission, 'inputs' | 'folder'>,
  ): Promise<string | undefined>
  /** Called once for a run that this process leaves to others. */
  onLeft(runId: string, path: string): void
}

/** Remembers how often this process has left a run to others because this process cannot read the files of the run. */
export class UnreadableInputs {
  readonly #files: InputFiles | undefined
  readonly #times = new Map<string, number>()

  constructor(files: InputFiles | undefined) {
    this.#files = files
  }

  /**
   * Whether another process should work on a run, because this one cannot read a file among the run's inputs. After
   * `MOST_TIMES` attempts the run stays here, and its step reports the file. A run with a step that has begun also
   * stays.
   */
  async areForOthers(runId: string, { records, pipeline, submission }: GivenRun): Promise<boolean> {
    if (!this.#files || records.some(({ record }) => record.type.startsWith('step.'))) return false
    const path = await this.#files.unreadable(pipeline, submission)
    const times = this.#times.get(runId) ?? 0
    if (path === undefined || times === MOST_TIMES) {
      this.#times.delete(runId)
      return false
    }
    if (times === 0) this.#files.onLeft(runId, path)
    this.#times.set(runId, times + 1)
    const [oldest = runId] = this.#times.keys()
    if (this.#times.size > MOST_REMEMBERED) this.#times.delete(oldest)
    return true
  }
}

interface GivenRun {
  readonly records: readonly StoredRecord[]
  readonly pipeline: Pipeline
  readonly submission: Submission
}

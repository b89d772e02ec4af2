import type { Clock } from '../../../src/core/clock.ts'
import type { ErrorReport } from '../../../src/core/errors.ts'
import type { Notification } from '../../../src/core/notification.ts'
import type { NotifyRules } from '../../../src/core/notify-rule.ts'
import type { Occurrence } from '../../../src/core/occurrence.ts'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import type { FinalStatus, RunTrigger, StoredRecord } from '../../../src/core/run.ts'
import type { OptOutTrouble } from '../../../src/daemon/watch-opt-outs.ts'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import type { UnattendedRun } from '../../../src/runs/unattended-runs.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import type { State } from '../../../src/state/state.ts'
import { stepTypes } from '../../../src/steps/index.ts'
import type { RunWriter } from '../../contract/run-writer.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A state folder, and the events in it. */
export type NotifierBench = ReturnType<typeof notifierBench>

export function notifierBench(
  state: State & { readonly journal: RunWriter } = openEmbeddedState({
    folder: tempFolder(),
    redact: (text) => text,
    ...around,
  }),
) {
  const { journal, occurrences, outbox, mutes, runs, remote } = state
  const append = async (runId: string, at: number, ...records: StoredRecord['record'][]) => {
    const seq = (await state.runs.records(runId)).length
    await journal.append(
      runId,
      records.map((record, index) => ({ seq: seq + index, at, record })),
    )
  }
  const bench = {
    occurrences,
    outbox,
    mutes,
    runs,
    remote,
    pipelines: new Map<string, Pipeline>(),
    /** Declares a pipeline with a schedule and a watched folder. */
    declare(
      name: string,
      extra: { readonly schedule?: string; readonly notify?: string; readonly keys?: string } = {},
    ) {
      const { schedule = 'cron: "0 2 * * *", timezone: America/New_York', notify, keys = '' } = extra
      const text = `version: 1
name: ${name}
${keys}
${notify === undefined ? '' : `notify: ${notify}\n`}triggers:
  - id: night
    schedule: { ${schedule} }
  - id: drop
    watch: { path: in, pattern: "*.csv", done: done, failed: failed }
steps:
  - id: ask
    uses: approval.wait
`
      const { pipeline, diagnostics } = loadPipeline({ text, file: `pipelines/${name}.yaml`, stepTypes })
      if (!pipeline) throw new Error(JSON.stringify(diagnostics))
      bench.pipelines.set(name, pipeline)
    },
    /** Starts a run of a slot, or by hand if `key` is absent. */
    async run(
      runId: string,
      options: {
        pipeline?: string
        key?: string
        at?: number
        trigger?: RunTrigger
        via?: 'api' | 'detached'
        /** The file that was dropped for it. */
        file?: string
      } = {},
    ) {
      const { pipeline = 'nightly', key, at = 1, trigger = { kind: 'manual' }, via, file } = options
      const detail = file === undefined ? undefined : { file, name: file }
      await journal.submit({
        runId,
        at,
        record: {
          type: 'run.submitted',
          pipeline,
          file: 'f',
          folder: '/',
          text: '',
          digest: '',
          inputs: {},
          trigger,
          via,
        },
        ...(key !== undefined && { occurrence: { trigger: 'night', key, at, detail } }),
      })
    },
    end: (runId: string, status: FinalStatus, at = 100, error?: ErrorReport) =>
      append(runId, at, { type: 'run.finished', status, ...(error && { error }) }),
    append,
    async occur(state: Occurrence['state'], key: string, rest: Partial<Occurrence> = {}) {
      const { pipeline = 'nightly', trigger = 'night', at = 50, ...facts } = rest
      await occurrences.note({ pipeline, trigger }, { occurrences: [{ key, state, at, ...facts }] })
    },
    /** The messages that wait for a channel. */
    waiting: async (channel = 'ops'): Promise<readonly Notification[]> =>
      (await outbox.due(channel, Number.MAX_SAFE_INTEGER, 10_000)).map(({ notification }) => notification),
    sweepDeps: (rules: NotifyRules = {}, channels: readonly string[] = ['ops']) => ({
      outbox,
      state,
      pipelines: bench.pipelines,
      unattended: (): readonly UnattendedRun[] => [],
      optOuts: (): readonly OptOutTrouble[] | undefined => [],
      channels,
      rules,
      log: { warn: () => undefined },
    }),
    close: () => journal.close(),
  }
  return bench
}

/** A clock that tests set. */
export function handClock(start = 0) {
  let now = start
  return {
    now: () => now,
    add(ms: number) {
      now += ms
    },
  }
}

/** A clock that runs this many times faster than real time. */
export function fastClock(factor: number, start = Date.UTC(2026, 10, 21)): Clock {
  const begun = performance.now()
  return {
    now: () => Math.round(start + (performance.now() - begun) * factor),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms / factor)
        const stop = () => {
          clearTimeout(timer)
          reject(signal?.reason)
        }
        if (signal?.aborted) stop()
        else signal?.addEventListener('abort', stop, { once: true })
      }),
  }
}

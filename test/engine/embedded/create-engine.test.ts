import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Engine } from '../../../src/core/engine.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import type { Journal } from '../../../src/state/journal.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { type EngineWorld, engineSuite } from '../../contract/engine-suite.ts'
import { guardSuite } from '../../contract/guard-suite.ts'
import { around } from '../../support/around.ts'
import { endLeases } from '../../support/end-leases.ts'
import { readTestPipeline, testStepTypes } from '../../support/pipelines.ts'
import { turnClock } from '../../support/turn-clock.ts'

/** Larger than any process id on Linux. */
const NO_PROCESS = 2 ** 22 + 1

const embedded = (): EngineWorld => {
  const root = mkdtempSync(join(tmpdir(), 'audience-engine-'))
  let folder = join(root, '0')
  let generation = 0
  const opened: { engine: Engine; journal: Journal }[] = []
  return {
    open(work, { approvalsNotBy } = {}) {
      const journal = openEmbeddedState({ folder, redact: (text) => text, ...around }).journal
      const engine = createEngine({
        journal,
        clock: turnClock,
        random: () => 0.5,
        stepTypes: testStepTypes,
        runStep: (_name, context, request) => work(context, request),
        readPipeline: readTestPipeline,
        env: {},
        approvalsNotBy,
      })
      opened.push({ engine, journal })
      return engine
    },
    decide: async (runId, ref, decision, actor) =>
      opened.at(-1)!.journal.send(runId, { kind: 'decide', ref, decision, ...actor }),
    endLeases: () => endLeases(folder),
    // A killed process leaves only its files: a later engine gets a copy of them.
    crash() {
      generation += 1
      const next = join(root, String(generation))
      mkdirSync(next)
      for (const file of ['runs.db', 'runs.db-wal']) {
        if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(next, file))
      }
      folder = next
      const copy = new DatabaseSync(join(folder, 'runs.db'))
      copy.prepare('UPDATE owners SET pid = ?').run(NO_PROCESS)
      copy.close()
    },
    async remove() {
      for (const { engine, journal } of opened) {
        await engine.stop(1000)
        journal.close()
      }
      rmSync(root, { recursive: true, force: true })
    },
  }
}

engineSuite('embedded journal', embedded)
guardSuite('embedded journal', embedded)

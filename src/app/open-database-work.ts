import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { DatabaseAddress } from '../config/database-url.ts'
import { AudienceError } from '../core/errors.ts'
import { formatDuration } from '../core/format/duration-text.ts'
import type { Redact } from '../core/secrets.ts'
import { openDistributedEngine } from '../engine/distributed/open-distributed-engine.ts'
import type { DatabaseEvent } from '../engine/distributed/outages.ts'
import type { InputFiles } from '../engine/distributed/unreadable-inputs.ts'
import type { RunStep } from '../engine/execute-attempt.ts'
import { filesIn } from '../pipeline/named-files.ts'
import { requireShared } from '../platform/shared-folder.ts'
import { openPostgresState } from '../state/postgres/open-postgres-state.ts'
import { throughOutages } from '../state/postgres/through-outages.ts'
import { type OpenWork, stateOptions, type WorkOptions } from './work.ts'

/** Opens a state in PostgreSQL; this process becomes one of its workers with the engine. */
export async function openDatabaseWork({ url, passwords }: DatabaseAddress, options: WorkOptions): Promise<OpenWork> {
  const { settings, secrets, surroundings, log, takes, version } = options
  for (const password of passwords) secrets.add(password)
  const opened = stateOptions(options)
  // Check the tables before the folder: `audience state migrate` creates the tables and marks the folder.
  const state = await openPostgresState({ url, ...opened })
  try {
    // This folder contains people's uploads and the fingerprints of lists.
    requireShared(settings.shared)
  } catch (error) {
    await state.close()
    throw error
  }
  return {
    state,
    throughOutages: (work, signal) => throughOutages(work, { clock: surroundings.clock, signal }),
    trouble: () => undefined,
    async openEngine(deps) {
      const { here } = opened
      const tell = (event: DatabaseEvent) => logDatabase(event, log, (text) => secrets.redact(text))
      const files = {
        unreadable: unreadableInput,
        onLeft(runId: string, path: string) {
          const fields = { runId, path: secrets.redact(path), host: hostname() }
          log.warn(fields, 'this worker cannot read an input file of a run and leaves the run to other workers')
        },
      }
      const engine = await openDistributedEngine({
        ...deps,
        state,
        url,
        here,
        takes,
        version,
        log: tell,
        machine: surroundings.machine,
        runStep: namingHost(deps.runStep),
        // Other workers do not take the runs of a process that works only on its own runs.
        files: takes === 'all' ? files : undefined,
      })
      return { engine, sharing: engine }
    },
  }
}

function logDatabase(event: DatabaseEvent, log: WorkOptions['log'], redact: Redact): void {
  switch (event.kind) {
    case 'warning':
      log.warn({ engine: redact(event.text) }, 'the run engine (DBOS) warns')
      break
    case 'away': {
      const since = new Date(event.since).toISOString()
      log.warn({ error: redact(event.reason), since }, 'the database is unavailable: the runs wait for it')
      break
    }
    case 'back':
      log.info({ after: formatDuration(event.afterMs) }, 'the database is available again, and the runs continue')
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['file-unreadable', 'list-unreadable'])

/** Among the inputs of a run, the first file that this process cannot read. */
export const unreadableInput: InputFiles['unreadable'] = async ({ inputs: declared }, { inputs, folder }) => {
  for (const [name, declaration] of Object.entries(declared))
    for (const path of filesIn(declaration, inputs[name] ?? null).map((file) => resolve(folder, file)))
      if (!(await isReadable(path))) return path
  return undefined
}

/**
 * Adds this machine to the error of a step that cannot read a file, because other machines may be able to read the
 * file.
 */
export function namingHost(runStep: RunStep): RunStep {
  return (...step) =>
    runStep(...step).catch((error) => {
      if (!(error instanceof AudienceError && UNREADABLE.has(error.code))) throw error
      const { code, kind, message, hint, at } = error
      throw new AudienceError({
        code,
        kind,
        message: `on the worker ${hostname()}: ${message}`,
        cause: error,
        hint,
        at,
      })
    })
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}

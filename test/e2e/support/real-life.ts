import { cpSync, existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pino } from 'pino'
import { startRun } from '../../../src/acts/start-run.ts'
import { openApp } from '../../../src/app/app.ts'
import { startDaemon } from '../../../src/app/start-daemon.ts'
import { systemSurroundings } from '../../../src/app/surroundings.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { FINAL_STATUSES } from '../../../src/core/format/statuses.ts'
import { type Json, type JsonObject, parseForeignJson } from '../../../src/core/json.ts'
import { stepRef } from '../../../src/core/run.ts'
import { createSecrets } from '../../../src/core/secrets.ts'
import { readNewPipeline } from '../../../src/daemon/documents/read-pipeline.ts'
import { resolveInputs } from '../../../src/pipeline/resolve-inputs.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { prepareRun } from '../../../src/runs/prepare-run.ts'
import { defaultNetwork } from '../../../src/service/network/default-network.ts'
import { startService } from '../../../src/service/start-service.ts'
import { until } from '../../support/daemon.ts'
import { givePeopleTo } from '../../support/people.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import type { Happening, Story } from './story.ts'

/**
 * Runs a story for real: with the real service on a port, the clock of the machine, and the daemon if a file is
 * dropped.
 */
export async function reallyLive(project: string, document: string, happenings: readonly Happening[]): Promise<Story> {
  const log = pino({ level: 'silent' })
  const place = tempFolder()
  const dataDir = join(place, 'service')
  await givePeopleTo(dataDir)
  const service = await startService({ dataDir, network: defaultNetwork, clock: systemClock, log })
  const settings = {
    ...loadSettings({ env: {}, cwd: project, flags: {} }),
    ...{ state: join(place, 'state'), shared: join(place, 'state'), pipelines: project },
    service: { kind: 'remote', baseUrl: service.url },
    profileService: { kind: 'remote', baseUrl: service.url },
    profile: { baseUrl: service.url, token: service.token },
  } as const
  const deps = {
    ...{ settings, env: {}, log, surroundings: systemSurroundings },
    ...{ secrets: createSecrets(), notice: () => undefined, version: 'rehearsal' },
  }
  await using ended = new AsyncDisposableStack()
  ended.defer(() => service.close())
  const app = await openApp({ ...deps, takes: 'own', maxRuns: settings.maxRuns })
  ended.defer(() => app.close())
  if (happenings.some(({ drop }) => drop)) {
    const daemon = await startDaemon({ ...deps, host: '127.0.0.1', port: 0, noConsole: true })
    ended.defer(() => daemon.stop())
  }
  const { runs } = app.state
  const file = join(project, document)
  for (const { run, drop, decide, ends } of happenings) {
    const known = (await runs.page({ limit: 100 })).rows.length
    if (run) {
      const pipeline = readNewPipeline({ text: readFileSync(file, 'utf8'), file })
      const given = { values: run, cwd: project, exists: existsSync, checkFile: () => undefined }
      const inputs = resolveInputs(pipeline, given)
      const startedBy = { by: 'test', comment: 'audience test' }
      const wanted = { pipeline, folder: dirname(file), inputs, trigger: { kind: 'manual' } as const, startedBy }
      await startRun(await prepareRun(wanted, { ...app, ...systemSurroundings }), app.engine)
    }
    if (drop) cpSync(join(project, drop.from), join(project, drop.to, basename(drop.from)))
    if (decide) {
      const [held] = (await runs.page({ status: ['waiting'], limit: 1 })).rows
      const { step, decision } = decide
      await runs.send(held!.runId, { kind: 'decide', ref: stepRef({ step }), decision, by: 'somebody' })
    }
    await until(async () => {
      const { rows } = await runs.page({ limit: 100 })
      const isNew = decide !== undefined || rows.length > known
      return isNew && rows.every(({ status }) => status === ends || FINAL_STATUSES.includes(status as never))
    })
  }
  const answer = await fetch(`${service.control.url}/requests?limit=10000`, {
    headers: { authorization: `Bearer ${service.control.token}` },
  })
  const { requests } = parseForeignJson(await answer.text()) as {
    requests: (JsonObject & { path: string; query: JsonObject })[]
  }
  const rows = (await runs.page({ limit: 100 })).rows.toReversed()
  const records = await Promise.all(rows.map(({ runId }) => runs.records(runId)))
  return {
    runs: records.map((all) => all.map(({ record }) => record as unknown as Json)),
    exchanges: requests
      .toReversed()
      // The daemon checks whether the service is there.
      .filter(({ query }) => JSON.stringify(query) !== '{"pageSize":["10"]}')
      .map(({ method, path, status }) => ({ method: String(method), path, status: Number(status) })),
    folders: [project, place],
  }
}

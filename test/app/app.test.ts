import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { consoleSettings } from '../../src/config/console-config.ts'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { createSecrets } from '../../src/core/secrets.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a runner that ends has closed the state in its thread too, and so leaves no log as after a crash', async () => {
  const state = tempFolder()
  const baseUrl = 'http://127.0.0.1:1'
  const app = await openApp({
    settings: {
      values: { name: 'test', inputs: {}, file: undefined, known: undefined },
      ...{ profileName: 'test', profile: { baseUrl, token: 'none' }, service: { kind: 'remote', baseUrl } },
      ...{ state, shared: state, pipelines: state, maxRuns: 1, sources: {}, lists: LIST_LIMITS, hosts: [] },
      policy: { ownEnv: [] },
      retention: { runsMs: 1, keep: 1, occurrencesMs: 1, auditMs: 1 },
      privacy: { suppress: [], membership: { kind: 'none' } },
      console: consoleSettings({}, '/'),
    },
    env: {},
    log: pino({ level: 'silent' }),
    secrets: createSecrets(),
    surroundings: systemSurroundings,
    notice: () => {},
    takes: 'own',
    version: '0',
  })
  const { text } = await app.view('hours.list', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' })
  expect(text).toBe('{"hours":[]}')
  expect(existsSync(join(state, 'runs.db-wal'))).toBe(true)
  await app.close()
  expect(existsSync(join(state, 'runs.db-wal'))).toBe(false)
})

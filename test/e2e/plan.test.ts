import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { startService } from '../support/host-service.ts'
import { requestsOf } from '../support/requests-of.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NIGHTLY = 'pipelines/nightly.yaml'

interface Plan {
  readonly steps: readonly {
    readonly id: string
    readonly action: string
    readonly requests: readonly { method: string; path: string }[]
  }[]
  readonly lastRun?: { readonly runId: string }
}

test('plan says what a run then does, and sends no write itself', async () => {
  const service = await startService(tempFolder())
  const state = tempFolder()
  const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token, AUDIENCE_STATE: state }
  const changed = join(tempFolder(), 'changed.csv')
  const rows = readFileSync(join(root, 'pipelines/data/auto-intenders.csv'), 'utf8').split('\n')
  writeFileSync(changed, rows.slice(0, -50).join('\n'))

  async function plan(...args: string[]): Promise<Plan> {
    const before = await requestsOf(service)
    const { code, out, err } = await commandLine(['plan', NIGHTLY, '--json', ...args], { env })
    expect(code, err).toBe(0)
    const sent = (await requestsOf(service)).slice(before.length)
    expect(sent.filter((request) => !request.startsWith('GET '))).toEqual([])
    return JSON.parse(out) as Plan
  }
  async function run(...args: string[]): Promise<string[]> {
    const before = await requestsOf(service)
    const { code, err } = await commandLine(['run', NIGHTLY, '--json', ...args], { env })
    expect(code, err).toBe(0)
    return (await requestsOf(service)).slice(before.length).filter((request) => !request.startsWith('GET '))
  }
  const actions = ({ steps }: Plan) => Object.fromEntries(steps.map(({ id, action }) => [id, action]))
  const writes = ({ steps }: Plan) =>
    steps.flatMap(({ requests }) => requests.map(({ method, path }) => `${method} ${path}`))

  const first = await plan()
  expect(first.lastRun).toBeUndefined()
  expect(readdirSync(state)).toEqual([])
  expect(actions(first)).toEqual({ upload: 'upload', segment: 'create', match: 'afterRun', activate: 'afterRun' })
  await run()

  const same = await plan()
  expect(actions(same)).toEqual({ upload: 'upload', segment: 'leave', match: 'leave', activate: 'leave' })
  expect((await run()).map(pathOf)).toEqual(writes(same))

  const refresh = await plan('-i', `file=${changed}`)
  expect(actions(refresh)).toEqual({ upload: 'upload', segment: 'refresh', match: 'refresh', activate: 'afterRun' })
  expect((await run('-i', `file=${changed}`)).map(pathOf)).toEqual(writes(refresh))
})

/** Paths in the journal begin with the participant's prefix. */
function pathOf(request: string): string {
  return request.replace(/ .*?(?=\/api\/)/, ' ')
}

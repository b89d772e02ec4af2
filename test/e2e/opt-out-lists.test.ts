import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { webhookReceiver } from '../notifications/channels/support/webhook-receiver.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, until, untilReady } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { askClock, virtualTime } from '../support/virtual-time.ts'

const DOCUMENT = `version: 1
name: nightly
steps:
  - { id: list, uses: files.prepare, with: { from: { file: people.csv }, column: email, signal: EMAIL } }
`

test('an opt-out list that goes bad is in /readyz, status, a metric and one message, before a run needs it, and so is its end', async () => {
  const receiver = await webhookReceiver()
  const { folder, options } = projectIn(tempFolder(), { HOOK: receiver.url })
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(join(folder, 'pipelines/nightly.yaml'), DOCUMENT)
  const config = 'notify: { channels: { ops: { webhook: { urlEnv: HOOK } } } }\nprivacy: { suppress: [out.csv] }\n'
  writeFileSync(join(folder, 'audience.yaml'), config)
  const list = join(folder, 'out.csv')
  writeFileSync(list, 'email\na@x.com\n')

  const virtual = virtualTime(Date.now())
  const daemon = spawnDaemon({ ...options, ...virtual, env: { ...options.env, ...virtual.env }, ipc: true })
  onTestFinished(() => kill(daemon).then(() => undefined))
  const { url } = await untilReady(daemon)
  await askClock(daemon, { speed: 50 })
  const notReady = async () => {
    const answer = (await (await fetch(`${url}/readyz`)).json()) as { notReady?: { check: string; reason: string }[] }
    return answer.notReady?.find(({ check }) => check === 'optOuts')?.reason
  }
  const metric = async () =>
    /^audience_ready\{check="optOuts"\} (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  /** One message per key, because a message whose answer is too late for the fast clock is sent again. */
  const messages = () => [...new Map(receiver.bodies.map((body) => [(body as { key: string }).key, body])).values()]
  expect([await notReady(), await metric()]).toEqual([undefined, '1'])

  writeFileSync(list, '<html><body>503 Service Unavailable</body></html>\n')
  await until(async () => (await notReady()) !== undefined)
  expect(await notReady()).toMatch(/so no list can be prepared: .*out\.csv cannot be read: it is an HTML or XML page/)
  expect(await metric()).toBe('0')
  expect((await commandLine(['status'], options)).out).toMatch(/not ready: optOuts: .*out\.csv/)
  await until(() => messages().length > 0)
  expect(messages()).toMatchObject([{ event: 'optOuts', title: 'an opt-out list cannot be used' }])

  rmSync(list)
  await until(async () => (await notReady())?.includes('there is no such file') === true)
  writeFileSync(list, 'email\na@x.com\nb@x.com\n')
  await until(async () => (await notReady()) === undefined)
  await until(() => messages().length > 1)
  expect(messages()[1]).toMatchObject({ event: 'recovery', title: 'the opt-out lists can be used again' })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { testNotify } from '../../src/cli/notify-test.ts'
import { withoutSecrets } from '../../src/cli/terminal.ts'
import { URL_SECRET, webhookReceiver } from '../notifications/channels/support/webhook-receiver.ts'
import { tempFolder } from '../support/temp-folder.ts'

function project(config: string) {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'audience.yaml'), config)
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const stream = { write } as unknown as NodeJS.WriteStream
  const terminal = withoutSecrets({
    out: stream,
    err: stream,
    env: {},
    cwd,
    surroundings: systemSurroundings,
    onInterrupt: () => () => undefined,
    whenUnread: () => undefined,
  })
  return { test: (channel?: string) => testNotify(channel, {}, terminal), out: () => out }
}

test('every channel is tried, and prints what it answered', async () => {
  const [good, bad] = [await webhookReceiver(), await webhookReceiver({ status: 404, body: `no ${URL_SECRET}` })]
  const { test, out } = project(`notify:
  channels:
    ops: { webhook: { url: "${good.url}", format: teams } }
    broken: { webhook: { url: "${bad.url}" } }
    unset: { webhook: { urlEnv: NOT_SET } }
`)
  expect(await test()).toBe(1)
  expect(out().split('\n').toSorted()).toEqual([
    '',
    `broken  failed: ${bad.origin} answered 404: no ***`,
    `ops     delivered: ${good.origin} answered 200`,
    'unset   failed: the environment variable NOT_SET with the URL of channel unset is not set',
  ])
  expect(good.bodies).toMatchObject([{ type: 'message' }])
})

test('one alone where it is named', async () => {
  const [ops, mail] = [await webhookReceiver(), await webhookReceiver()]
  const { test, out } = project(
    `notify: { channels: { ops: { webhook: { url: "${ops.url}" } }, mail: { webhook: { url: "${mail.url}" } } } }`,
  )
  expect(await test('ops')).toBe(0)
  expect(out()).toBe(`ops  delivered: ${ops.origin} answered 200\n`)
  expect(mail.bodies).toEqual([])
  await expect(test('opps')).rejects.toMatchObject({ kind: 'usage', hint: 'did you mean ops?' })
})

test('without channels it says where to declare them', async () => {
  await expect(project('state: x').test()).rejects.toMatchObject({ code: 'no-channels', kind: 'invalid' })
})

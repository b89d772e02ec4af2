import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { audience } from '../support/audience.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Records which parts of the AWS SDK are loaded. */
const HOOK = `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@aws-sdk/')) appendFileSync(process.env.USED, specifier + '\\n')
    return next(specifier, context)
  },
})
`
const WATCHES_SOURCE = `version: 1
name: remote
triggers:
  - { id: drop, watch: { source: partner, path: "in/*.csv", done: keep, failed: keep } }
  - { id: fetch, watch: { source: lake, path: "in/*.csv", done: keep, failed: keep } }
steps: [{ id: list, uses: groups.list }]
`
const WATCHES_FOLDER = `version: 1
name: local
triggers: [{ id: drop, watch: { path: inbox, pattern: "*.csv", settle: 0s, done: done, failed: failed } }]
steps: [{ id: list, uses: groups.list }]
`

/** A project with a server and a bucket, and the requests of its commands to them. */
async function project() {
  const folder = tempFolder()
  const used = join(folder, 'used')
  for (const name of ['bin', 'pipelines', 'pipelines/inbox', 'remote']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'hook.mjs'), HOOK)
  writeFileSync(join(folder, 'bin/ssh'), `#!/bin/sh\necho ssh >> '${used}'\nexit 255\n`, { mode: 0o755 })
  for (const name of ['key', 'known_hosts']) writeFileSync(join(folder, name), '', { mode: 0o600 })
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const keys = { accessKeyIdEnv: 'DROPS_ID', secretAccessKeyEnv: 'DROPS_KEY' }
  const sources = {
    partner: { sftp: { host: '127.0.0.1', user: 'acme', keyFile: 'key', knownHosts: 'known_hosts' } },
    lake: { s3: { bucket: 'drops', region: 'eu-west-1', endpoint, pathStyle: true, ...keys } },
  }
  writeFileSync(join(folder, 'audience.yaml'), JSON.stringify({ sources }))
  writeFileSync(join(folder, 'remote/remote.yaml'), WATCHES_SOURCE)
  writeFileSync(join(folder, 'pipelines/local.yaml'), WATCHES_FOLDER)
  const path = `${join(folder, 'bin')}:${process.env.PATH}`
  const given = projectIn(folder, { PATH: path, USED: used, DROPS_ID: 'id', DROPS_KEY: 'a-key' })
  const options = { ...given.options, nodeArgs: ['--import', join(folder, 'hook.mjs')] }
  return { folder, options, used: () => (existsSync(used) ? readFileSync(used, 'utf8').trim().split('\n') : []) }
}

test('only a look at a source loads the AWS SDK or starts ssh', async () => {
  const { folder, options, used } = await project()
  for (const args of [['--version'], ['validate', 'remote', 'pipelines'], ['status'], ['sources', 'list']]) {
    const { code, err } = await audience(args, options)
    expect({ args, code, err }).toEqual({ args, code: 0, err: '' })
  }
  const daemon = spawnDaemon(options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  await untilReady(daemon)
  writeFileSync(join(folder, 'pipelines/inbox/a.csv'), 'email\na@example.com\n')
  await until(() => stateRows({ folder }, "SELECT 1 FROM runs WHERE status = 'succeeded'").length === 1)
  await kill(daemon)
  expect(used()).toEqual([])

  expect((await audience(['sources', 'check'], options)).code).toBe(4)
  expect(used()).toEqual(expect.arrayContaining(['ssh', '@aws-sdk/client-s3']))
})

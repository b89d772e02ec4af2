import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hasSshd, startSshd } from '../remote/sftp/sshd.ts'
import type { Audience } from '../support/audience.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { remoteBucket } from '../support/remote-bucket.ts'
import { remoteFolder } from '../support/remote-folder.ts'
import { configOf, envOf } from '../support/s3-server/config.ts'
import { startS3Server } from '../support/s3-server/s3-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * The real command takes files from a real sshd, and from the strict S3 server of the tests, while it is killed: each content
 * has one run, and each file ends in `done`.
 */
const PIPELINE = `version: 1
name: drops
inputs: { file: { type: file } }
triggers:
  - id: partner
    watch:
      { source: there, path: "in/*.csv", every: 10s, settle: 1s, done: { move: done }, failed: { move: failed } }
    inputs: { file: "\${{ trigger.file }}" }
steps: [{ id: look, uses: groups.list, with: {} }]
`
const KILLS_AFTER_MS = [1_000, 12_000, 14_500]

interface There {
  readonly source: object
  readonly env: Readonly<Record<string, string>>
  readonly files: ReturnType<typeof remoteFolder>
}

async function sftp(): Promise<There> {
  const server = await startSshd()
  onTestFinished(() => server.stop())
  const { kind: _, ...source } = server.config
  return { source: { sftp: source }, env: {}, files: remoteFolder(server.root) }
}

async function s3(): Promise<There> {
  const server = await startS3Server()
  onTestFinished(() => server.stop())
  const { kind: _, keys, ...source } = configOf(server)
  return { source: { s3: { ...source, ...keys } }, env: envOf(server), files: remoteBucket(server) }
}

test.for([
  ['SFTP', sftp, hasSshd],
  ['S3', s3, true],
] as const)('each file of a source has one run, whatever is killed: %s', async ([, open, isThere], { skip }) => {
  skip(!isThere)
  const { source, env, files } = await open()
  const { folder, options } = projectIn(tempFolder(), { PATH: process.env.PATH ?? '', ...env })
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(join(folder, 'pipelines/drops.yaml'), PIPELINE)
  writeFileSync(join(folder, 'audience.yaml'), JSON.stringify({ sources: { there: source } }))
  const names = Array.from({ length: 12 }, (_, at) => `list-${at}.csv`)
  for (const name of names.slice(0, 6)) await files.put(`in/${name}`, `email\n${name}@example.com\n`)

  let daemon: Audience = spawnDaemon(options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  for (const [at, afterMs] of KILLS_AFTER_MS.entries()) {
    await sleep(afterMs)
    await kill(daemon)
    for (const name of names.slice(6 + at * 2, 8 + at * 2))
      await files.put(`in/${name}`, `email\n${name}@example.com\n`)
    daemon = spawnDaemon(options)
  }
  await untilReady(daemon)
  const left = async () =>
    [...(await files.names('in')), ...(await files.names('in/.taken'))].filter((name) => name !== '.taken')
  const runs = () => stateRows({ folder }, 'SELECT status FROM runs')
  await until(async () => (await files.names('done')).length === names.length)
  expect(await files.names('done')).toEqual([...names].sort())
  await until(() => runs().every(({ status }) => status === 'succeeded'))
  expect(runs()).toHaveLength(names.length)
  await until(async () => (await left()).length === 0)
  expect(stateRows({ folder }, "SELECT state FROM occurrences WHERE state <> 'ran'")).toEqual([])

  // The same content under another name is the same file.
  await files.put('in/again.csv', `email\n${names[0]}@example.com\n`)
  await until(async () => (await left()).length === 0)
  expect(runs()).toHaveLength(names.length)
  expect((await kill(daemon, 'SIGTERM')).code).toBe(0)
})

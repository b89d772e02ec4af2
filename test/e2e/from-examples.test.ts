import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasSshd, startSshd } from '../remote/sftp/sshd.ts'
import { root } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, stateRows, until } from '../support/daemon.ts'
import { remoteFolder } from '../support/remote-folder.ts'
import { configOf, envOf } from '../support/s3-server/config.ts'
import { startS3Server } from '../support/s3-server/s3-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * The examples of remote files, with the real command: from a real sshd and from the strict S3 server of the tests.
 */
const examples = join(root, 'pipelines')

/** A project with an example whose source is a server of the tests. */
function projectWith(example: string, sources: object, env: Readonly<Record<string, string>> = {}) {
  const project = projectIn(tempFolder(), { PATH: process.env.PATH ?? '', ...env })
  mkdirSync(join(project.folder, 'pipelines'))
  cpSync(join(examples, 'data'), join(project.folder, 'pipelines/data'), { recursive: true })
  // A test must not wait for two minutes.
  const text = readFileSync(join(examples, example), 'utf8')
    .replace('every: 1m', 'every: 10s')
    .replace('settle: 2m', 'settle: 1s')
  writeFileSync(join(project.folder, 'pipelines', example), text)
  writeFileSync(join(project.folder, 'audience.yaml'), JSON.stringify({ sources }))
  return project
}

test.runIf(hasSshd)('from-sftp.yaml makes one run of the two lists of a day', async () => {
  const server = await startSshd()
  onTestFinished(() => server.stop())
  const { kind: _, ...sftp } = server.config
  const { folder, options } = projectWith('from-sftp.yaml', { partner: { sftp } })
  const there = remoteFolder(server.root)
  await there.put('incoming/buyers_0412.csv', readFileSync(join(examples, 'data/auto-intenders.csv')))
  const daemon = spawnDaemon(options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  const status = async () => (await commandLine(['status'], { cwd: folder, env: options.env })).out
  await until(async () => (await status()).includes('set 0412: lapsed_0412.csv is missing, until'), {
    everyMs: 300,
  })
  await there.put('incoming/lapsed_0412.csv', readFileSync(join(examples, 'data/travel-planners.csv')))
  await until(async () => (await there.names('done')).length === 2)
  expect(await there.names('done')).toEqual(['buyers_0412.csv', 'lapsed_0412.csv'])
  expect(stateRows({ folder }, 'SELECT status FROM runs')).toEqual([{ status: 'succeeded' }])
})

test('from-bucket.yaml makes a segment of the files of a day, and its plan says which these are', async () => {
  const server = await startS3Server()
  onTestFinished(() => server.stop())
  const { kind: _, keys, ...s3 } = configOf(server)
  const { folder, options } = projectWith('from-bucket.yaml', { lake: { s3: { ...s3, ...keys } } }, envOf(server))
  server.bucket.put('crm/2026-10-20/a.parquet', readFileSync(join(examples, 'data/customers.parquet')))
  const said = (command: string) =>
    commandLine([command, 'pipelines/from-bucket.yaml', '-i', 'day=2026-10-20'], { cwd: folder, env: options.env })
  const planned = await said('plan')
  expect(planned.out, planned.err).toContain('reads 1 file of lake, 29.8 kB, the first is crm/2026-10-20/a.parquet')
  const ran = await said('run')
  expect(ran.code, ran.err).toBe(0)
  expect(ran.out).toContain('created')
})

import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { SftpSource } from '../../../src/remote/sftp/sftp-source.ts'
import { remoteSourceSuite } from '../../contract/remote-source-suite.ts'
import { remoteFolder } from '../../support/remote-folder.ts'
import { hasSshd, type Sshd, startSshd } from './sshd.ts'

describe.runIf(hasSshd)('with a real server', () => {
  let sshd: Sshd
  const signal = AbortSignal.timeout(600_000)
  const open = (config = sshd.config) => new SftpSource(config, systemClock)

  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd.stop())

  remoteSourceSuite('OpenSSH', async () => {
    await sshd.clear()
    await mkdir(join(sshd.root, 'in'))
    return { ...remoteFolder(sshd.root), open: () => open(), cut: () => sshd.cut(), remove: () => sshd.clear() }
  })

  /** The error of a call. */
  const failure = async (config = sshd.config) => {
    const source = open(config)
    const error = await source.describe(signal).catch((each: unknown) => each)
    await source.close()
    return error
  }

  test('says its program and its host key', async () => {
    const source = open()
    expect(await source.describe(signal)).toMatch(/^OpenSSH_\d+\.\d+, host key SHA256:[\w+/]{43} ok$/)
    await source.close()
  })

  test('an account that only reads may list and read, and is told of the rest', async () => {
    await writeFile(join(sshd.root, 'a.csv'), 'abc')
    const source = open(sshd.readOnly)
    const file = await source.look('a.csv', { signal })
    if (!file) throw new Error('there is no a.csv')
    const refused = { code: 'source-read-only' }
    await expect(source.take(file, { ticket: '1-a', signal })).rejects.toMatchObject(refused)
    await expect(source.remove(file, { signal })).rejects.toMatchObject(refused)
    await expect(source.move(file, { folder: 'done', name: 'a', ticket: '1', signal })).rejects.toMatchObject(refused)
    expect(await source.look('a.csv', { signal })).toEqual(file)
    await source.close()
  })

  test('a server that answers reads with a part gives the whole file all the same', async () => {
    const content = Array.from({ length: 9_000 }, (_, at) => `person-${at}@example.com\n`).join('')
    await writeFile(join(sshd.root, 'a.csv'), content)
    const source = open(sshd.shortReads)
    const file = await source.look('a.csv', { signal })
    if (!file) throw new Error('there is no a.csv')
    expect(await text(source.read(file, { signal }))).toBe(content)
    await source.close()
  })

  test('names that lead elsewhere or do not show are counted, and never listed', async () => {
    await sshd.clear()
    for (const name of ['a\u001b[2J.csv', 'b\n.csv', 'c\\d.csv', '\u202efdp.csv'])
      await writeFile(join(sshd.root, name), '')
    await writeFile(Buffer.concat([Buffer.from(`${sshd.root}/`), Buffer.from([0xff, 0x2e])]), '')
    await symlink('/etc/passwd', join(sshd.root, 'link.csv'))
    await mkdir(join(sshd.root, 'folder.csv'))
    await writeFile(join(sshd.root, 'good.csv'), '')
    const source = open()
    const { files, unusable } = await source.list('', () => true, { signal })
    expect([files.map(({ path }) => path), unusable]).toEqual([['good.csv'], 7])
    await expect(source.list('nowhere', () => true, { signal })).rejects.toMatchObject({
      code: 'source-folder-missing',
    })
    await source.close()
  })

  test('a key that the server does not know is refused', async () => {
    const keyFile = join(sshd.root, '..', 'host')
    expect(await failure({ ...sshd.config, keyFile })).toMatchObject({
      code: 'source-access-refused',
      message: expect.stringContaining(`refuses the account ${sshd.config.user} with the key`),
    })
  })

  test('a key that others may read, or that is not there, is named before ssh does', async () => {
    const keyFile = join(sshd.root, 'open-key')
    await writeFile(keyFile, 'key')
    await chmod(keyFile, 0o644)
    expect(await failure({ ...sshd.config, keyFile })).toMatchObject({ hint: `chmod 600 ${keyFile}` })
    expect(await failure({ ...sshd.config, keyFile: '/nowhere' })).toMatchObject({
      code: 'source-access-refused',
      message: 'there is no key in /nowhere, or this process may not read it',
    })
    expect(await failure({ ...sshd.config, knownHosts: '/nowhere' })).toMatchObject({ code: 'source-host-key' })
  })

  test('nobody who listens is unreachable', async () => {
    expect(await failure({ ...sshd.config, port: 1 })).toMatchObject({
      code: 'source-unreachable',
      message: '127.0.0.1:1 cannot be reached: connect to host 127.0.0.1 port 1: Connection refused',
    })
  })

  test('a file name of the configuration with blanks, quotes and percent signs is taken as it is', async () => {
    const knownHosts = join(sshd.root, 'known "hosts" 100%h')
    await writeFile(knownHosts, '')
    expect(await failure({ ...sshd.config, knownHosts })).toMatchObject({
      code: 'source-host-key',
      message: expect.stringMatching(/^the host key of 127\.0\.0\.1:\d+, SHA256:\S+, is not in /),
    })
  })

  test('a host key that changed is never accepted, and shown', async () => {
    await sshd.changeHostKey()
    expect(await failure()).toMatchObject({
      code: 'source-host-key',
      message: expect.stringMatching(/^the host key of 127\.0\.0\.1:\d+, SHA256:\S+, is not the one in /),
    })
  })
})

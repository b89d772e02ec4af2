import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { rawServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

/** A service that cannot be reached, or refuses access, differs from a run that failed: exit code 4, not 1. */

const bucket = { uploadSignal: 'EMAIL', resultContent: 'BGID' } as const

/** Larger than the buffers of a connection, so it is never sent completely. */
function largeFile(): string {
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(file, 'x'.repeat(20_000_000))
  return file
}

test('an upload whose connection ends before it was read is a service that cannot be used', async () => {
  await using server = await rawServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  await using client = testClient(server.url)
  const error = await client.api.files.upload({ file: largeFile(), ...bucket }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ kind: 'unavailable', request: { outcome: 'notSent' } })
})

test('reading from a service that ends every connection is a service that cannot be used', async () => {
  await using server = await rawServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  await using client = testClient(server.url)
  await expect(client.api.jobs.get({ jobId: '7' })).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a write that may have been done is no such thing: its run failed', async () => {
  await using server = await rawServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  await using client = testClient(server.url)
  const match = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
  await expect(client.api.matches.create(match)).rejects.toMatchObject({
    kind: 'failed',
    request: { outcome: 'unknown' },
  })
})

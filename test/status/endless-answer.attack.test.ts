import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { acquireDaemonLock } from '../../src/daemon/lock/acquire-daemon-lock.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { controlClient } from '../../src/service/local/control-client.ts'
import { writeEndpoint } from '../../src/service/local/endpoint-file.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * Another program on this machine that listened first on the port of a daemon or an embedded service, or that took the
 * port after a kill. Its answer never ends and comes as fast as it is read.
 */

const MEGABYTES = 1_000_000
/** Far more than may be read, but little enough that reading all of it would end. */
const MOST_SENT = 400 * MEGABYTES

/** Answers every request with one endless JSON text; `sent` counts the bytes that were read. */
async function endlessServer(): Promise<{ url: string; sent: () => number }> {
  const chunk = Buffer.alloc(MEGABYTES, ' ')
  let sent = 0
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"status":"alive","runs":0,"waits":0,"stuck":[')
    const more = (): void => {
      while (!response.destroyed) {
        sent += chunk.length
        if (sent > MOST_SENT) response.destroy()
        else if (!response.write(chunk)) return void response.once('drain', more)
      }
    }
    more()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: () => sent }
}

test('an answer about the health of a daemon is read up to a limit, and is none', async () => {
  const { url, sent } = await endlessServer()
  const state = join(tempFolder(), 'state')
  const here = { profile: 'local', service: 'embedded' }
  const lock = acquireDaemonLock(state, { version: '1', now: Date.now(), here })
  onTestFinished(() => lock.release())
  lock.announce({ url })
  const ended = await commandLine(['status', '--json'], { cwd: tempFolder(), env: { AUDIENCE_STATE: state } })
  expect(ended).toMatchObject({ code: 0 })
  const { daemon } = JSON.parse(ended.out)
  expect([daemon.state, daemon.url, daemon.alive]).toEqual(['running', url, undefined])
  // Two answers of at most 4 MB, and what the system buffers on the way.
  expect(sent()).toBeLessThan(60 * MEGABYTES)
})

test('so is an answer of the embedded service to what is controlled', async () => {
  const { url, sent } = await endlessServer()
  const folder = tempFolder()
  writeEndpoint(join(folder, 'endpoint.json'), { url, participantId: 1, token: 'one', control: { url, token: 'two' } })
  await expect(controlClient(folder, systemClock)('jobs.list')).rejects.toMatchObject({ code: 'service-lost' })
  expect(sent()).toBeLessThan(60 * MEGABYTES)
})

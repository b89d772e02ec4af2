/** A process that takes the lock of the given folder, prints the result, and keeps the lock. */
import { acquireDaemonLock } from '../../../src/daemon/lock/acquire-daemon-lock.ts'

const [, , folder = '', startAt = '0'] = process.argv
await new Promise((resolve) => setTimeout(resolve, Math.max(0, Number(startAt) - Date.now())))
try {
  const lock = acquireDaemonLock(folder, {
    version: '1.2.3',
    now: Date.now(),
    here: { profile: 'local', service: 'embedded:/' },
  })
  lock.announce({ url: 'http://127.0.0.1:1' })
  process.stdout.write('taken\n')
  setInterval(() => {}, 60_000)
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
}

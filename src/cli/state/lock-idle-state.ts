import { statSync } from 'node:fs'
import { join } from 'node:path'
import { noState } from '../../app/state-files.ts'
import { failedError } from '../../core/errors.ts'
import { daemonLockFile } from '../../daemon/lock/daemon-file.ts'
import { type InstanceLock, takeInstanceLock } from '../../platform/instance-lock.ts'

/**
 * Takes the daemon's lock of a state folder, so that no daemon starts until it is released. Throws `daemon-running` if
 * a daemon has the lock, or the error of `noState`. `is` says in the message what is done to the state.
 */
export function lockIdleState(
  folder: string,
  { is, hint }: { is: 'copied' | 'compacted'; hint: string },
): InstanceLock {
  if (!statSync(join(folder, 'runs.db'), { throwIfNoEntry: false })) throw noState(folder)
  const lock = takeInstanceLock(daemonLockFile(folder))
  if (lock) return lock
  throw failedError(
    'daemon-running',
    `audience start is running for the state in ${folder}, but nothing may write while it is ${is}`,
    hint,
  )
}

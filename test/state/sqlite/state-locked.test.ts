import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { isLocked, stateLocked } from '../../../src/state/sqlite/state-locked.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** The error of a write to the file; undefined if the write succeeds. */
function refusal(file: string): unknown {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('INSERT INTO a VALUES (1)')
    return undefined
  } catch (error) {
    return error
  } finally {
    db.close()
  }
}

test('a state that another process keeps for itself is told from every other failure, and who it is', async () => {
  const file = join(tempFolder(), 'runs.db')
  const keeps = `const { DatabaseSync } = require('node:sqlite')
    const db = new DatabaseSync(process.argv[1])
    db.exec('CREATE TABLE a (b); BEGIN EXCLUSIVE')
    process.stdout.write('kept')
    setInterval(() => undefined, 60_000)`
  const child = spawn(process.execPath, ['-e', keeps, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await once(child.stdout, 'data')
  const error = refusal(file)
  expect(isLocked(error)).toBe(true)
  const { message, hint } = stateLocked(file, error)
  const known = process.platform === 'linux' ? `process ${child.pid} (node` : 'another process'
  expect(message).toContain(`the state in ${file} is locked by ${known}`)
  expect(hint).toContain(process.platform === 'linux' ? `ps -fp ${child.pid}` : `fuser -v ${file}`)
  child.kill('SIGKILL')
  await ended
  expect(refusal(file)).toBeUndefined()
  expect(isLocked(new Error('the disk is full'))).toBe(false)
  expect(stateLocked(file, error).message).toBe(`the state in ${file} is locked by another process`)
})

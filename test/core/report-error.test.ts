import { expect, test } from 'vitest'
import { reportError } from '../../src/core/report-error.ts'

function system(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code}: no, mkdir '/x'`), { code, ...more })
}

test('an error of the system about a file is no fault of the runner, and says what to do', () => {
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EMFILE']) {
    const { code: reported, message, hint } = reportError(system(code, { path: '/x' }))
    expect({ reported, message }).toEqual({ reported: 'system-refused', message: `${code}: no, mkdir '/x'` })
    expect(hint).not.toContain('fault')
  }
})

test('so is a full disk, whoever says it', () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
  expect(reportError(full)).toMatchObject({ code: 'system-refused', hint: 'make room on its disk' })
})

test('every other error is one, also of a connection', () => {
  const others = [system('EACCES', { address: '10.0.0.1' }), system('ENOENT'), new TypeError('x'), 'text', undefined]
  for (const error of others) expect(reportError(error)).toMatchObject({ code: 'internal' })
})

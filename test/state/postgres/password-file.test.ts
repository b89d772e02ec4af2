import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withPasswordOfFile } from '../../../src/state/postgres/password-file.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const LINES = `# who may come in
db.example.com:5432:other:audience:wrong
db.example.com:5433:*:audience:a\\:b\\\\c &d
*:*:*:*:any
`

test.each([
  ['postgres://audience@db.example.com/other', 'wrong'],
  ['postgres://audience@db.example.com:5433/x?sslmode=require', 'a:b\\c &d'],
  ['postgres://somebody@elsewhere/x', 'any'],
  ['postgres:///audience?host=/run/postgresql&user=ana', 'any'],
  ['postgres://audience:own@db.example.com/other', 'own'],
])('%s has the password %s', (url, password) => {
  const file = join(tempFolder(), 'pgpass')
  writeFileSync(file, LINES, { mode: 0o600 })
  const found = new URL(withPasswordOfFile(url, { PGPASSFILE: file }))
  expect(found.searchParams.get('password') ?? found.password).toBe(password)
  expect(withPasswordOfFile(url, { PGPASSFILE: file, PGPASSWORD: 'x' })).toBe(url)
  // The line for another port does not apply.
  const atPort = new URL(
    withPasswordOfFile('postgres://audience@db.example.com/other', { PGPASSFILE: file, PGPORT: '5433' }),
  )
  expect(atPort.searchParams.get('password')).toBe('a:b\\c &d')
  // Others can read it.
  chmodSync(file, 0o640)
  expect(withPasswordOfFile(url, { PGPASSFILE: file })).toBe(url)
})

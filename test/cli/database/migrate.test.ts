import { expect, test } from 'vitest'
import { DATABASE_VERSION as version } from '../../../src/state/postgres/migrations.ts'
import { commandLine } from '../../support/command-line.ts'
import { createDatabase, describeWithPostgres } from '../../support/postgres.ts'
import { tempFolder } from '../../support/temp-folder.ts'

describeWithPostgres('audience state migrate', () => {
  test('creates the tables, and the next time has nothing to do', async () => {
    const { url, remove } = await createDatabase({ migrated: false })
    try {
      const options = { cwd: tempFolder(), env: { AUDIENCE_STATE: url } }
      expect(await commandLine(['state', 'migrate'], options)).toMatchObject({
        code: 0,
        out: expect.stringMatching(
          `^created the tables in postgresql:.* \\(version ${version}\\); next: audience start`,
        ),
      })
      expect(await commandLine(['state', 'migrate', '--json'], options)).toMatchObject({
        code: 0,
        out: `${JSON.stringify({ state: url, from: version, to: version })}\n`,
      })
    } finally {
      await remove()
    }
  })
})

test('a folder needs no migration', async () => {
  expect(await commandLine(['state', 'migrate'], { cwd: tempFolder() })).toMatchObject({
    code: 3,
    err: expect.stringContaining('migrate works only on a state in PostgreSQL'),
  })
})

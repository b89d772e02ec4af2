import { expect, test } from 'vitest'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { commandLine } from '../../support/command-line.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { tempFolder } from '../../support/temp-folder.ts'

describeWithPostgres('audience state copy', () => {
  test('says what it copied, also as one JSON object', async () => {
    const folder = tempFolder()
    openState(folder).close()
    const url = await newDatabase()
    const { code, out } = await commandLine(['state', 'copy', folder, url, '--json'], { isTTY: true })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ from: folder, to: url, runs: 0, tables: { runs: 0, records: 0 } })
    expect(await commandLine(['state', 'copy', folder, url], {})).toMatchObject({
      ...{
        code: 0,
        out: expect.stringMatching(/^copied 0 runs \(0 rows in all\) to postgresql:.*\nfrom now on/),
        err: '',
      },
    })
  })
})

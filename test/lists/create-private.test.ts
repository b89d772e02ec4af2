import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPrivate } from '../../src/lists/create-private.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each(['new', 'there before, and open to all'])(
  'a file that is %s is empty, and for its owner alone',
  async (how) => {
    const file = join(tempFolder(), 'made')
    if (how !== 'new') writeFileSync(file, 'ann@x.test', { mode: 0o666 })
    await createPrivate(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toBe('')
  },
)

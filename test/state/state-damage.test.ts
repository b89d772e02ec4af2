import { expect, test } from 'vitest'
import { sqliteCode } from '../../src/core/code-of.ts'
import { AudienceError } from '../../src/core/errors.ts'
import { isDamage, isTroubleOfNow, recordsDamaged, unlessDamaged } from '../../src/state/state-damage.ts'

const ofSqlite = (errcode: unknown) => Object.assign(new Error('why'), { errcode })
const refused = (code: string) => new AudienceError({ code, kind: 'failed', message: 'why', hint: 'what' })

test.each([
  ['a lock', ofSqlite(5), { code: 5, isDamage: false, isOfNow: true }],
  ['a full disk', ofSqlite(13), { code: 13, isDamage: false, isOfNow: true }],
  ['a damaged page', ofSqlite(11), { code: 11, isDamage: true, isOfNow: false }],
  ['a damaged index, in an extended code', ofSqlite(11 | (3 << 8)), { code: 11, isDamage: true, isOfNow: false }],
  ['a file that is no database', ofSqlite(26), { code: 26, isDamage: true, isOfNow: false }],
  ['a damaged record', recordsDamaged('why'), { isDamage: true, isOfNow: false }],
  ['what did not reach the disk', refused('state-not-written'), { isDamage: false, isOfNow: true }],
  ['another refusal', refused('state-locked'), { isDamage: false, isOfNow: false }],
  ['another error', new Error('why'), { isDamage: false, isOfNow: false }],
  ['an error with another code', ofSqlite('11'), { isDamage: false, isOfNow: false }],
  ['no error', { errcode: 11 }, { isDamage: false, isOfNow: false }],
  ['a text', 'why', { isDamage: false, isOfNow: false }],
  ['nothing', undefined, { isDamage: false, isOfNow: false }],
])('%s is judged by its code', (_what, error, { code, isDamage: damage, isOfNow }: Judged) => {
  expect([sqliteCode(error), isDamage(error), isTroubleOfNow(error)]).toEqual([code, damage, isOfNow])
})

interface Judged {
  readonly code?: number
  readonly isDamage: boolean
  readonly isOfNow: boolean
}

test('a read of damaged data has no value, and any other error stays one', async () => {
  expect(await unlessDamaged(Promise.resolve(7))).toBe(7)
  expect(await unlessDamaged(Promise.reject(ofSqlite(11)))).toBeUndefined()
  const other = ofSqlite(5)
  await expect(unlessDamaged(Promise.reject(other))).rejects.toBe(other)
})

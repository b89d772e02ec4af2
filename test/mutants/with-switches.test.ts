import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { type Mutant, makeMutants } from './make-mutants.ts'
import { withSwitches } from './with-switches.ts'

const SOURCE = `const most = 2
export const limits = { 3: true, most }
export async function* all(items, limit = most) {
  let n = 0
  if (items?.list.filter((item) => item !== 2).length === 0) throw new Error('none')
  for (const item of items?.list.filter((each) => each !== 2) ?? [])
    if (n < limit && !(await item) === false) n += 1
    else n -= 1
  items?.done?.(n)
  yield n * 2
}
const told = []
export const run = async (list) => {
  for await (const n of all(list && { list, done: (n) => told.push(n) })) told.push(n > 2 ? 'many' : 'few', n)
  return JSON.stringify([told, limits])
}
`

test('each mutant that is on does what the changed source does, and none does what the source does', async () => {
  const folder = tempFolder()
  const mutants = makeMutants(SOURCE)
  const told: string[] = []
  for (const [number, mutant] of mutants.entries()) {
    const switchFile = join(folder, `switch-${number}.cjs`)
    const text = withSwitches(SOURCE, new Map([[number, mutant]]), switchFile)
    const changed = SOURCE.slice(0, mutant.start) + mutant.text + SOURCE.slice(mutant.end)
    expect(await resultOf(text, () => false)).toBe(await resultOf(SOURCE))
    const result = await resultOf(text, (asked) => asked === number)
    expect({ changed, result }).toEqual({ changed, result: await resultOf(changed) })
    told.push(result)
  }
  expect(new Set(told).size).toBeGreaterThan(8)

  async function resultOf(text: string, isOn?: (asked: number) => boolean): Promise<string> {
    const file = join(folder, `${Math.random()}.mjs`)
    writeFileSync(file, text)
    Object.assign(globalThis, { mutantSwitch: isOn && { isOn } })
    const { run } = await import(file)
    try {
      return await run([1, 2, 3, 4])
    } catch (error) {
      return String(error).slice(0, 20)
    }
  }
})

test('who uses what stands in no function is asked there', () => {
  const source = 'const most = 2\nfunction f() { return () => most }'
  const text = withSwitches(source, new Map<number, Mutant>([[7, makeMutants(source)[0] as Mutant]]), '/switch.ts')
  expect(text).toContain('const most = (mutantIsOn(7, true) ? (120) : (2))\n')
  expect(text).toContain('function f() {mutantIsOn(7); return () => (mutantIsOn(7), most) }')
})

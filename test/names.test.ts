import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

test('an exported name is declared in one file, so that a search for it finds one thing', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated'))
    .map((file) => join('src', file))
  const exported = files.flatMap((file) =>
    [...namesExportedBy(readFileSync(join(root, file), 'utf8'))].map((name) => ({ name, file })),
  )
  const several = [...Map.groupBy(exported, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`)
  const todo =
    'give each a name that says what it is; if both are the same thing, import one; if only its file uses it, do not export it'
  expect(exported.length).toBeGreaterThan(1000)
  expect(several, todo).toEqual([])
})

test('every form of an export is read, and an unknown form is refused', () => {
  const text = `export function a() {}
export async function* b() {}
export const c = 1
export abstract class D {}
export type E = typeof c
export interface F {}
export {
  type G as H,
  i,
  j as k,
} from 'other'
`
  expect([...namesExportedBy(text)]).toEqual(['a', 'b', 'c', 'D', 'E', 'F', 'H', 'k'])
  for (const unknown of ['export default a', 'export { a }', "export * from 'other'"])
    expect(() => namesExportedBy(unknown)).toThrow(unknown)
})

const EXPORT =
  /^export (?:type )?\{([^}]*)\} from |^export (?:(?:abstract|async|declare) )*(?:function\*?|class|const|enum|interface|let|type) (\w+)|^export\b.*/gm

/** The names that a file declares and exports. A name that it only passes on is declared elsewhere. */
function namesExportedBy(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(EXPORT)].flatMap(([statement, passedOn, declared]) => {
    if (declared !== undefined) return [declared]
    if (passedOn !== undefined) return [...passedOn.matchAll(/\bas (\w+)/g)].map(([, name = '']) => name)
    throw new Error(`this test cannot read \`${statement}\`: export it where it is declared, by its name`)
  })
  return new Set(names)
}

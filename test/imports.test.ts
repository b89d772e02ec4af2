import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

/** From the bottom up: a folder imports from lower tiers and from itself only. */
const TIERS = [
  ['core'],
  ['http', 'platform'],
  ['contract', 'expressions', 'policy', 'state'],
  ['document', 'membership', 'runs'],
  ['adapter', 'engine', 'lists', 'remote', 'service', 'triggers'],
  ['config', 'notifications', 'pipeline'],
  ['steps'],
  ['daemon'],
  ['status'],
  ['acts'],
  ['console'],
  ['app'],
  ['rehearsal'],
  ['cli'],
  ['generate', 'main'],
]

/** Packages that only some folders may import, so that a process does not load what it does not need. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  undici: ['adapter', 'notifications'],
  fastify: ['service'],
  '@fastify/multipart': ['service'],
  '@duckdb/node-api': ['lists', 'service'],
  '@marcbachmann/cel-js': ['expressions'],
  yaml: ['document'],
  chokidar: ['triggers', 'daemon'],
  nodemailer: ['notifications'],
  'prom-client': ['daemon'],
  diff: ['console'],
  commander: ['cli'],
  'log-update': ['cli'],
  'pino-pretty': ['cli'],
  ajv: ['generate'],
  '@aws-sdk/client-s3': ['remote'],
  pg: ['state'],
  '@dbos-inc/dbos-sdk': ['engine'],
  preact: ['console'],
  '@preact/signals': ['console'],
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated'))
  .map((file) => join(src, file))

const imports = new Map(files.map((file) => [file, importsOf(readFileSync(file, 'utf8'))]))

test('there is something to look at', () => {
  expect(files.length).toBeGreaterThan(50)
})

test('imports point downwards, from tier to tier', () => {
  const wrong = edges().filter(({ from, to }) => folderOf(from) !== folderOf(to) && tierOf(from) <= tierOf(to))
  expect(wrong.map(show)).toEqual([])
})

test('how the state is stored is known to the state, the engine and what wires them, and to nobody else', () => {
  const wrong = edges().filter(
    ({ from, to }) =>
      /^state./.test(dirname(relative(src, to))) && !['state', 'engine', 'app'].includes(folderOf(from)),
  )
  expect(wrong.map(show)).toEqual([])
})

test('no import goes in a circle', () => {
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (file: string, path: readonly string[]) => {
    if (path.includes(file))
      circles.push([...path.slice(path.indexOf(file)), file].map((at) => relative(src, at)).join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const to of filesImportedBy(file)) walk(to, [...path, file])
    done.add(file)
  }
  for (const file of files) walk(file, [])
  expect(circles).toEqual([])
})

test('no chain of imports has more than 23 files', () => {
  const longest = new Map<string, readonly string[]>()
  const longestFrom = (file: string): readonly string[] => {
    const known = longest.get(file)
    if (known) return known
    const rest = filesImportedBy(file).map(longestFrom)
    const chain = [file, ...(rest.toSorted((a, b) => b.length - a.length)[0] ?? [])]
    longest.set(file, chain)
    return chain
  }
  const [chain = []] = files.map(longestFrom).toSorted((a, b) => b.length - a.length)
  expect(chain.length, chain.map((file) => relative(src, file)).join(' → ')).toBeLessThanOrEqual(23)
})

test('packages are imported where they belong, and TypeBox only as types', () => {
  const wrong = [...imports].flatMap(([file, found]) =>
    found
      .filter(({ specifier, isType }) => {
        const name = packageOf(specifier)
        if (name === 'typebox') return !isType
        const folders = name === undefined ? undefined : PACKAGES[name]
        return folders !== undefined && !isType && !folders.includes(folderOf(file))
      })
      .map(({ specifier }) => `${relative(src, file)} imports ${specifier}`),
  )
  expect(wrong).toEqual([])
})

test('the client of the console is a program of its own: of the rest it takes the formats of core, the places of fields, and the types and paths of the API', () => {
  const client = join(src, 'console/client/')
  const formats = join(src, 'core/format/')
  const data = [join(src, 'generated/api-paths.ts'), join(src, 'http/operation.ts')]
  const wrong = [...imports].flatMap(([file, found]) =>
    found
      .filter(({ specifier, isType }) => {
        const name = packageOf(specifier)
        if (!file.startsWith(client))
          return name?.includes('preact') || resolve(dirname(file), specifier).startsWith(client)
        if (name !== undefined) return !['preact', '@preact/signals'].includes(name)
        const to = resolve(dirname(file), specifier)
        const isOfApi = data.includes(to) || (isType && to.startsWith(join(src, 'console/api/')))
        return !to.startsWith(client) && !to.startsWith(formats) && !isOfApi
      })
      .map(({ specifier }) => `${relative(src, file)} imports ${specifier}`),
  )
  expect(wrong).toEqual([])
})

test('core does no I/O: it imports nothing but types and itself', () => {
  const wrong = [...imports]
    .filter(([file]) => folderOf(file) === 'core')
    .flatMap(([file, found]) =>
      found
        .filter(({ specifier, isType }) => !specifier.startsWith('./') && !isType)
        .map(({ specifier }) => `${file}: ${specifier}`),
    )
  expect(wrong).toEqual([])
})

interface Import {
  readonly specifier: string
  readonly isType: boolean
}

function importsOf(text: string): Import[] {
  const statements = text.matchAll(
    /^(import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  )
  return [...statements].map((match) => ({
    specifier: match[3] ?? match[4] ?? match[5] ?? '',
    isType: match[2] !== undefined,
  }))
}

function filesImportedBy(file: string): string[] {
  return (imports.get(file) ?? [])
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => resolve(dirname(file), specifier))
    .filter((to) => imports.has(to))
}

function edges(): { from: string; to: string }[] {
  return files.flatMap((from) => filesImportedBy(from).map((to) => ({ from, to })))
}

function folderOf(file: string): string {
  const [first = '', ...rest] = relative(src, file).split('/')
  if (rest.length > 0) return first
  return 'main'
}

function tierOf(file: string): number {
  const tier = TIERS.findIndex((folders) => folders.includes(folderOf(file)))
  if (tier < 0)
    throw new Error(
      `${relative(src, file)} is in a folder that has no tier; give it one in this test and in ARCHITECTURE.md`,
    )
  return tier
}

function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function show({ from, to }: { from: string; to: string }): string {
  return `${relative(src, from)} → ${relative(src, to)}`
}

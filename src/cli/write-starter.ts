import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import type { Terminal } from './terminal.ts'

/** Files in the package; each is written to the same relative path. */
const COPIED = [
  'pipelines/quickstart.yaml',
  'pipelines/nightly.yaml',
  'pipelines/data/auto-intenders.csv',
  'schemas/pipeline.schema.json',
  'schemas/config.schema.json',
]

const WRITTEN: Readonly<Record<string, string>> = {
  'audience.yaml': `# yaml-language-server: $schema=schemas/config.schema.json
# The service to use. local: the embedded Audience Data Service, with synthetic people and its data under the state folder.
profile: local
state: .audience

# profiles:
#   production:
#     baseUrl: https://audience.example.com
#     tokenEnv: AUDIENCE_PRODUCTION_TOKEN

# Who \`audience start\` tells when something needs people; \`audience notify test\` tries it.
# notify:
#   channels:
#     ops: { webhook: { urlEnv: OPS_WEBHOOK_URL, format: slack } }
`,
  '.gitignore': '.audience/\npipelines/inbox/\n',
}

/** Writes the starter project; changes nothing if one of its files already exists. */
export function writeStarter(folder: string, { cwd, out }: Terminal): number {
  const root = resolve(cwd, folder)
  const files = [
    ...Object.entries(WRITTEN),
    ...COPIED.map((path) => [path, readFileSync(new URL(`../../${path}`, import.meta.url))] as const),
  ]
  const present = files.map(([path]) => path).filter((path) => existsSync(join(root, path)))
  if (present.length > 0) {
    throw new AudienceError({
      code: 'would-overwrite',
      kind: 'usage',
      message: `${folder} has ${present.join(', ')} already; nothing was written`,
      hint: 'name another folder',
    })
  }
  for (const [path, content] of files) {
    writeAt(join(root, path), content)
    out.write(`wrote ${join(folder, path)}\n`)
  }
  const enter = folder === '.' ? '' : `cd ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)} && `
  out.write(`\nNext: ${enter}audience run pipelines/quickstart.yaml\n`)
  out.write(
    'Then: audience start, which runs pipelines/nightly.yaml every night and for files in pipelines/inbox/auto\n',
  )
  return 0
}

function writeAt(path: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  } catch (error) {
    throw new AudienceError({
      code: 'not-writable',
      kind: 'usage',
      message: `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'name a folder that you may write to',
      cause: error,
    })
  }
}

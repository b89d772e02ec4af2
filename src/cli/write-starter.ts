import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AudienceError, usageError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { printable } from '../core/printable.ts'
import { isFull, MAKE_ROOM } from '../core/system-hint.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { BARE, CLONE, makeRepository, repositoryUrl, requireGit } from './make-repository.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

const CONFIG_SCHEMA = 'schemas/config.schema.json'
/** Files in the package; each is written to the same relative path. */
const COPIED = [
  'pipelines/quickstart.yaml',
  'pipelines/quickstart.test.yaml',
  'pipelines/nightly.yaml',
  'pipelines/nightly.test.yaml',
  'pipelines/data/auto-intenders.csv',
  'schemas/pipeline.schema.json',
  'schemas/test.schema.json',
  CONFIG_SCHEMA,
]

/** The files that are written here, by path. */
function writtenFiles(name: string): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify(packageOf(name), null, 2)}\n`,
    'README.md': readmeOf(name),
    'audience.yaml': CONFIGURATION,
    '.gitignore': 'node_modules/\n.audience/\npipelines/inbox/\n',
    '.github/workflows/pipelines.yml': WORKFLOW,
  }
}

/**
 * The files of a project whose pipelines come from git. The repository contains the pipelines and the files that their
 * authors need. The files that belong to the machine are beside the repository.
 */
function filesBesideGit(name: string, root: string): Readonly<Record<string, string>> {
  const { scripts: _, ...its } = packageOf(name)
  return {
    'package.json': `${JSON.stringify({ ...its, scripts: { start: 'audience start' } }, null, 2)}\n`,
    'README.md': readmeBesideGit(name),
    'audience.yaml': `${CONFIGURATION}
# The pipelines: each commit that is pushed there is deployed as a whole, or refused. docs/deployment.md explains this.
pipelines:
  git:
    url: ${JSON.stringify(repositoryUrl(root))}
    ref: main
    every: 10s
    workdir: files # where the watched folders of the pipelines are
`,
    [`${CLONE}/.gitignore`]: 'node_modules/\n',
  }
}

/**
 * The package.json of a project. It does not name a package in a registry, because anybody could publish a package
 * there with that name. The install below adds the packed file.
 */
function packageOf(name: string) {
  return {
    name,
    private: true,
    scripts: { validate: 'audience validate --strict pipelines', test: 'audience test', start: 'audience start' },
    engines: { node: '>=24' },
    // npm reports install scripts that are not allowed here. The package `node` uses one to install Node 24.
    allowScripts: { node: true },
  }
}

const readmeOf = (name: string) => `# ${name}

Pipelines for audience data. They need Node 24; \`npm install node@24\` brings it to this project.

\`\`\`sh
npm install                                      # once; commit package-lock.json with the rest
npx audience run pipelines/quickstart.yaml       # from a CSV file to a live activation, with synthetic people
npx audience validate                            # check all pipelines, without the service
npx audience test                                # weeks of nights in seconds
npx audience plan pipelines/nightly.yaml         # what a run would do now
npx audience start                               # keep the schedules and watch the folders, until Ctrl-C
\`\`\`

| file | contains |
|---|---|
| \`pipelines/\` | the pipelines, their tests (\`*.test.yaml\`), and \`data/\` with a sample |
| \`audience.yaml\` | which service, which state, who gets messages |
| \`schemas/\` | schemas with which editors complete and explain these files |
| \`.github/workflows/pipelines.yml\` | the check of each change |

The profile \`local\` in \`audience.yaml\` is a complete Audience Data Service on this machine. Name your own under \`profiles\`.
`

const readmeBesideGit = (name: string) => `# ${name}

Pipelines for audience data that come from git. They need Node 24; \`npm install node@24\` brings it to this project.

\`\`\`sh
npx audience deploy check                        # what would be deployed now; it changes nothing
npx audience start                               # deploys each new commit, and runs the pipelines, until Ctrl-C
npx audience deploy status                       # in another terminal: which commit is in use, and what is wrong with a newer one
\`\`\`

| | contains |
|---|---|
| \`repository/\` | the pipelines: change, commit and push them here |
| \`pipelines.git\` | the repository that \`audience start\` looks at; to use your git host, name its repository in \`audience.yaml\` |
| \`audience.yaml\` | which service, which state, which repository; it stays on this machine |
| \`files/\` | the watched folders |
`

const CONFIGURATION = `# yaml-language-server: $schema=schemas/config.schema.json
# The service to use. local: the embedded Audience Data Service, with synthetic people and its data in the state folder.
profile: local
state: .audience

# profiles:
#   production:
#     baseUrl: https://audience.example.com
#     tokenEnv: AUDIENCE_PRODUCTION_TOKEN

# Who gets a message from \`audience start\` when something needs people; \`audience notify test\` sends one now.
# notify:
#   channels:
#     ops: { webhook: { urlEnv: OPS_WEBHOOK_URL, format: slack } }
`

/** The same workflow as in docs/ci.md. */
const WORKFLOW = `# .github/workflows/pipelines.yml
name: pipelines
on: [push, pull_request]
permissions: { contents: read }
jobs:
  validate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
        with:
          fetch-depth: 0 # to compare with the base
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      - run: npm ci
      - run: npx audience ci pipelines
`

/**
 * Writes the starter project. If one of its files already exists, throws `would-overwrite` and writes nothing. With
 * `git`, its pipelines are in a repository.
 */
export async function writeStarter(folder: string, { git }: { git?: true }, terminal: Terminal): Promise<number> {
  const { cwd, env, out } = terminal
  const root = resolve(cwd, folder)
  const name = packageName(root)
  if (git) await requireGit(terminal)
  const place = (path: string) => (git && path !== CONFIG_SCHEMA ? `${CLONE}/${path}` : path)
  const files = [
    ...Object.entries(git ? filesBesideGit(name, root) : writtenFiles(name)),
    ...COPIED.map((path) => [place(path), readFileSync(new URL(`../../${path}`, import.meta.url))] as const),
  ]
  const present = [...files.map(([path]) => path), ...(git ? [BARE] : [])].filter((path) =>
    existsSync(join(root, path)),
  )
  if (present.length > 0) {
    throw usageError(
      'would-overwrite',
      `${folder} already has ${present.join(', ')}; nothing was written`,
      'name another folder',
    )
  }
  for (const [path, content] of files) {
    writeAt(join(root, path), content)
    out.write(`wrote ${printable(join(folder, path))}\n`)
  }
  if (git) await makeRepository(root, terminal)
  out.write(
    `\n${nextSteps(folder, env, git ? DEPLOY_STEPS : RUN_STEPS)
      .map(printable)
      .join('\n')}\n`,
  )
  return 0
}

/** The commands to run next. They work as written, even if `audience` is not on the PATH. */
function nextSteps(folder: string, env: Terminal['env'], then: readonly string[]): string[] {
  return [
    'Next:',
    ...(folder === '.' ? [] : [`  cd ${quoted(folder)}`]),
    ...installCommands(env).map((command) => `  ${command}`),
    ...then,
  ]
}

const RUN_STEPS = [
  '  npx audience run pipelines/quickstart.yaml',
  '',
  'Then `npx audience start` runs pipelines/nightly.yaml every night, and when files arrive in pipelines/inbox/auto.',
]
const DEPLOY_STEPS = [
  '  npx audience deploy check',
  '  npx audience start',
  '',
  `Then change a pipeline in ${CLONE}/, commit and push: it is deployed within seconds. \`npx audience deploy status\` shows that.`,
]

/**
 * The commands that install the version of audience that wrote the project. The package is a file in the project, so
 * that `npm ci` also finds it on other machines.
 */
function installCommands(env: Terminal['env']): string[] {
  const node = nodeOfNpm(env) < LEAST_NODE ? ` node@${LEAST_NODE}` : ''
  return [
    `npm pack --silent --ignore-scripts ${quoted(localPackage())}    # commit the file with the rest`,
    `npm install ./audience-pipelines-${version()}.tgz${node}`,
  ]
}

/** The packed file that this program was installed from, if it is still there; otherwise the folder that it is in. */
function localPackage(): string {
  const here = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
  const [, project] = /^(.*)[\\/]node_modules[\\/]audience-pipelines$/.exec(here) ?? []
  if (project === undefined) return here
  const spec = specIn(join(project, 'package.json'))
  const file = spec?.startsWith('file:') ? resolve(project, spec.slice('file:'.length)) : here
  return existsSync(file) ? file : here
}

const LEAST_NODE = 24

/** The major version of Node that npx ran with. A new project gets this version, too. Without npx, `LEAST_NODE`. */
function nodeOfNpm(env: Terminal['env']): number {
  const [, major] = /\bnode\/v(\d+)\./.exec(env.npm_config_user_agent ?? '') ?? []
  return major === undefined ? LEAST_NODE : Number(major)
}

/** What a package.json says about this package. */
function specIn(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >
  return dependencies?.['audience-pipelines'] ?? devDependencies?.['audience-pipelines']
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : JSON.stringify(path)
}

/** The name of the folder as npm accepts it. */
function packageName(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, 100)
  return name === '' || name === 'audience-pipelines' ? 'my-pipelines' : name
}

function writeAt(path: string, content: string | Uint8Array): void {
  try {
    // The folder gets the same mode as any other folder, because a project is for a team.
    makeFolder(dirname(path), 0o777)
    writeFileSync(path, content)
  } catch (error) {
    throw new AudienceError({
      code: 'not-writable',
      kind: 'usage',
      message: `${path} cannot be written: ${messageOf(error)}`,
      hint: isFull(error) ? MAKE_ROOM : 'name a folder that you may write to',
      cause: error,
    })
  }
}

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = `usage: npm run remote-suite -- --bucket NAME --region REGION [--endpoint URL] [--path-style] [--ca-file FILE]

Runs the contract of remote sources against a bucket of AWS, GCS, MinIO or another store. The bucket must be empty and for this
alone: about 10,000 small objects are written below in/, out/ and other/, and deleted, in one run. Credentials are those that the AWS SDK
finds, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
`

const options = {
  bucket: { type: 'string' },
  region: { type: 'string' },
  endpoint: { type: 'string' },
  'path-style': { type: 'boolean', default: false },
  'ca-file': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

process.exitCode = main(process.argv.slice(2))

function main(args: readonly string[]): number {
  const given = read(args)
  if (!given || given.help || !given.bucket || !given.region) {
    process.stderr.write(USAGE)
    return given?.help ? 0 : 2
  }
  const { bucket, region, endpoint } = given
  const store = { kind: 's3', bucket, region, endpoint, pathStyle: given['path-style'], caFile: given['ca-file'] }
  const root = join(import.meta.dirname, '../../../..')
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config']
  const { status } = spawnSync(process.execPath, [...vitest, join(import.meta.dirname, 'vitest.config.ts')], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, REMOTE_SUITE_STORE: JSON.stringify(store) },
  })
  return status ?? 1
}

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n`)
    return undefined
  }
}

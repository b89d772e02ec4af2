import type { S3Config } from '../../../src/core/remote-source.ts'
import type { S3Server } from './s3-server.ts'

/** The configuration of a source for this server. */
export function configOf({ endpoint, region, name }: S3Server): S3Config {
  return {
    kind: 's3',
    bucket: name,
    region,
    endpoint,
    pathStyle: true,
    keys: { accessKeyIdEnv: 'DROPS_ID', secretAccessKeyEnv: 'DROPS_KEY' },
  }
}

export function envOf({ keys }: S3Server): Readonly<Record<string, string>> {
  return { DROPS_ID: keys.accessKeyId, DROPS_KEY: keys.secretAccessKey }
}

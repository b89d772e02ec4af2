import { resolve } from 'node:path'
import { exactObject, flag, integer, matching, type Static } from '../core/json-schema.ts'
import type { S3Config, SftpConfig } from '../core/remote-source.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import { nonEmptyText } from './schema-parts.ts'

/** A server with SFTP. */
export const sftp = exactObject({
  required: ['host', 'user', 'keyFile', 'knownHosts'],
  description: 'An SFTP server. It is reached with the OpenSSH of this machine.',
  properties: {
    host: nonEmptyText('Its name or address.'),
    port: integer({ minimum: 1, maximum: 65535 }, 'Its port. Default: 22.'),
    user: nonEmptyText('The account there.'),
    keyFile: nonEmptyText(
      'Path of the private key, relative to this file. The key has no passphrase, and only the user of audience may read it.',
    ),
    certificateFile: nonEmptyText('Path of the certificate of that key, if the server trusts a certificate authority.'),
    knownHosts: nonEmptyText(
      'Path of a file with the host key of the server, as ssh-keyscan prints it. A new or changed host key is never accepted.',
    ),
    configFile: nonEmptyText(
      'Path of an OpenSSH client configuration, such as one for a jump host. Default: none; the configuration of the user is not used either.',
    ),
  },
})

/** A bucket. */
export const s3 = exactObject({
  required: ['bucket', 'region'],
  description: 'A bucket in S3, or in another store with the same protocol.',
  properties: {
    bucket: nonEmptyText('Its name.'),
    region: nonEmptyText('Its region, such as eu-west-1.'),
    endpoint: matching('^https?://', 'The address of the store. Default: the AWS address for the region.'),
    pathStyle: flag(
      'Whether addresses name the bucket in the path instead of the host, as MinIO requires. Default: false.',
    ),
    caFile: nonEmptyText(
      'Path of a file with the certificate to trust, in PEM, if it comes from your own certificate authority.',
    ),
    credentials: {
      enum: ['default'],
      description:
        'default: the AWS SDK finds them in environment variables, a file, a web identity or the role of the machine. This is the default.',
    },
    accessKeyIdEnv: nonEmptyText(
      'Name of the environment variable with the id of the access key, instead of credentials.',
    ),
    secretAccessKeyEnv: nonEmptyText('Name of the environment variable with the secret access key.'),
  },
})

/**
 * The server that a configuration describes. `checkSftp` has checked the configuration. Paths are relative to `folder`.
 */
export function sftpOf(
  { keyFile, certificateFile, knownHosts, configFile, ...its }: Static<typeof sftp>,
  folder: string,
): SftpConfig {
  return {
    kind: 'sftp',
    ...its,
    keyFile: resolve(folder, keyFile),
    certificateFile: certificateFile === undefined ? undefined : resolve(folder, certificateFile),
    knownHosts: resolve(folder, knownHosts),
    configFile: configFile === undefined ? undefined : resolve(folder, configFile),
  }
}

/**
 * The bucket that a configuration describes. `checkS3` has checked the configuration. The path of the file is relative
 * to `folder`.
 */
export function s3Of(
  { bucket, region, endpoint, pathStyle = false, caFile, accessKeyIdEnv, secretAccessKeyEnv }: Static<typeof s3>,
  folder: string,
): S3Config {
  return {
    kind: 's3',
    bucket,
    region,
    endpoint,
    pathStyle,
    caFile: caFile === undefined ? undefined : resolve(folder, caFile),
    keys:
      accessKeyIdEnv === undefined || secretAccessKeyEnv === undefined
        ? undefined
        : { accessKeyIdEnv, secretAccessKeyEnv },
  }
}

/**
 * Hosts and users must match these: a text that could be an option of ssh, or a part of its configuration, does not
 * match.
 */
const HOST = /^[A-Za-z0-9:][A-Za-z0-9.:_-]{0,254}$/
const USER = /^[A-Za-z0-9_][A-Za-z0-9._@+|-]{0,254}$/

/** Checks what the schema of audience.yaml cannot express about a server. */
export function checkSftp(server: DocumentNode, reporter: DiagnosticCollector): void {
  const [host, user] = [childOf(server, 'host'), childOf(server, 'user')]
  if (host && !HOST.test(textOf(host) ?? 'localhost')) {
    const hint = 'write sftp.example.com or 192.0.2.1, without sftp:// or a path; the port has its own key'
    reporter.wrongValue('host must be a name or an address', host, hint)
  }
  if (user && !USER.test(textOf(user) ?? 'user')) {
    const hint = 'write only the name of the account: letters, digits and . _ @ + | -'
    reporter.wrongValue('user must be the name of an account', user, hint)
  }
}

/** Checks what the schema of audience.yaml cannot express about a bucket. */
export function checkS3(bucket: DocumentNode, reporter: DiagnosticCollector): void {
  const [id, secret, credentials] = ['accessKeyIdEnv', 'secretAccessKeyEnv', 'credentials'].map((key) =>
    childOf(bucket, key),
  )
  const key = id ?? secret
  if (key && !(id && secret)) {
    const message = `${id ? 'secretAccessKeyEnv' : 'accessKeyIdEnv'} is missing: an access key has two parts`
    reporter.error({ code: 'missing-key', message, hint: 'name both variables, or neither' }, key)
  }
  if (key && credentials) {
    const message = 'credentials come from variables or from the chain of the AWS SDK, not from both'
    reporter.wrongValue(message, credentials, 'leave credentials out')
  }
  const endpoint = childOf(bucket, 'endpoint')
  const url = URL.parse(textOf(endpoint) ?? '')
  const isMore = url !== null && [url.username, url.password, url.search, url.hash].some((part) => part !== '')
  if (endpoint && (url === null || isMore)) {
    const hint = 'write an address such as https://minio.example.com; credentials come from variables'
    reporter.wrongValue('endpoint must be an address and nothing else', endpoint, hint)
  }
}

import { spawn } from 'node:child_process'

/**
 * The SFTP server of OpenSSH, made to answer each read with only a part of the requested bytes, as the protocol allows.
 * `node short-reads.ts FOLDER` is the command of an ssh session. It makes the requests smaller before the server sees
 * them.
 */
const SERVER = '/usr/lib/openssh/sftp-server'
const READ = 5
const MOST_BYTES = 700

const server = spawn(SERVER, ['-d', String(process.argv[2])], { stdio: ['pipe', 'inherit', 'ignore'] })
server.on('close', () => process.exit())

let rest = Buffer.alloc(0)
process.stdin.on('data', (chunk: Buffer) => {
  rest = Buffer.concat([rest, chunk])
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
    const packet = rest.subarray(0, 4 + rest.readUInt32BE())
    rest = rest.subarray(packet.length)
    // A read request ends with the requested number of bytes.
    const asked = packet.length - 4
    if (packet[4] === READ) packet.writeUInt32BE(Math.min(packet.readUInt32BE(asked), MOST_BYTES), asked)
    server.stdin.write(packet)
  }
})
process.stdin.on('end', () => server.stdin.end())

import { spawn } from 'node:child_process'

/**
 * The SFTP server of OpenSSH, which answers each read with a part of what was asked for, as the protocol allows:
 * `node short-reads.ts FOLDER`, as the command of an ssh session. It makes the requests smaller before the server sees them.
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
    // A read ends with the number of bytes that it asks for.
    const asked = packet.length - 4
    if (packet[4] === READ) packet.writeUInt32BE(Math.min(packet.readUInt32BE(asked), MOST_BYTES), asked)
    server.stdin.write(packet)
  }
})
process.stdin.on('end', () => server.stdin.end())

import { access, constants, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { listensOnLoopback } from '../../foundation/net/parse-url.ts'
import { findS3Problem } from '../../foundation/storage/s3-store.ts'
import { backupPlanOf } from '../../start/backup/scheduled-backups.ts'
import { secretPath } from '../../start/installation-secret.ts'
import { bucketOf, filesFolder } from '../../start/open-file-store.ts'
import { ENOUGH_FILES } from '../explain-error.ts'
import { broken, type Finding, fine, note } from './finding.ts'

/**
 * The day on which each major version of Node gets its last security fix, from
 * https://github.com/nodejs/Release/blob/main/schedule.json
 */
export const NODE_ENDS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
}

/** The versions that the tests run on; the last one is the recommended one. */
export const TESTED_NODES = [20, 22, 24] as const
export const RECOMMENDED_NODE = 24

const NODE = 'node'

/** Whether this Node still gets security fixes, and whether our tests run on it. */
export function checkNode(version: string, now: Date): Finding {
  const major = Number.parseInt(version, 10)
  const end = NODE_ENDS[major]
  const isPast = end === undefined ? major < RECOMMENDED_NODE : dayOf(now) > end
  if (isPast) {
    return note(
      NODE,
      `Node ${version} gets no security fixes any more${end === undefined ? '' : `, since ${end}`}.`,
      `install Node ${RECOMMENDED_NODE}`,
    )
  }
  if (!TESTED_NODES.some((tested) => tested === major)) {
    return note(
      NODE,
      `Schoolgate is not tested on Node ${version}, only on ${TESTED_NODES.join(', ')}.`,
      `install Node ${RECOMMENDED_NODE}`,
    )
  }
  return fine(NODE, `Node ${version} gets security fixes until ${end}.`)
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

/** A limit that a server meets sooner than its other ones. */
export function checkFiles(limit: number | undefined): readonly Finding[] {
  if (limit === undefined || limit >= 1024) return []
  return [
    broken(
      'files',
      `This process may open ${limit} files and connections, which is too few for a server.`,
      `raise it to ${ENOUGH_FILES} (LimitNOFILE= of systemd, \`ulimit -n\` of the shell)`,
    ),
  ]
}

const FOLDER = 'data folder'
const OPEN_TO_OTHERS = 0o077

/**
 * Whether the folder of the embedded database exists, is writable, and hides its secrets from other
 * users.
 */
export async function checkDataFolder(config: Config): Promise<readonly Finding[]> {
  const folder = config.SCHOOLGATE_DATA_DIR
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined) {
    return [note(FOLDER, `${folder} does not exist yet.`, 'nothing: the first start makes it')]
  }
  if (!found.isDirectory()) {
    return [
      broken(
        FOLDER,
        `${folder} is no folder.`,
        'move it away, or set SCHOOLGATE_DATA_DIR to another place',
      ),
    ]
  }
  const writable = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!writable) {
    return [
      broken(
        FOLDER,
        `${folder} cannot be written by this user.`,
        'run this as the user that runs the server, or give that user the folder',
      ),
    ]
  }
  const secrets = [secretPath(config), join(folder, 'postgresql-password')]
  const open = (await Promise.all(secrets.map(findOpenFile))).flatMap((path) => path ?? [])
  if (open.length === 0)
    return [fine(FOLDER, `${folder} is writable, and its secrets are closed to others.`)]
  return open.map((path) =>
    broken(FOLDER, `Other users of this machine can read ${path}.`, `run: chmod 600 ${path}`),
  )
}

async function findOpenFile(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && (found.mode & OPEN_TO_OTHERS) !== 0 ? path : undefined
}

const BUCKET = 'uploads'

/** Whether uploads can be stored: in the bucket, or in the data folder. */
export async function checkUploads(config: Config): Promise<readonly Finding[]> {
  const bucket = bucketOf(config)
  if (bucket === undefined) return await checkUploadFolder(filesFolder(config))
  const problem = await findS3Problem(bucket)
  return [
    problem === undefined
      ? fine(BUCKET, `The bucket ${bucket.bucket} lets us in.`)
      : broken(
          BUCKET,
          `Uploads cannot be stored: ${problem}.`,
          'check S3_ENDPOINT, S3_BUCKET and the keys; the bucket must exist, and the key may read and write it',
        ),
  ]
}

async function checkUploadFolder(folder: string): Promise<readonly Finding[]> {
  const closed = await findClosedFolder(folder)
  if (closed === undefined) return []
  return [
    broken(
      BUCKET,
      `Uploads cannot be stored: this user cannot write in ${closed}.`,
      'run this as the user that runs the server, give that user the folder, or point SCHOOLGATE_DATA_DIR at another',
    ),
  ]
}

/**
 * The folder is made when it is first needed, so the nearest one above it that exists is judged.
 * Returns it if this user cannot write there.
 */
async function findClosedFolder(folder: string): Promise<string | undefined> {
  let nearest = resolve(folder)
  while ((await stat(nearest).catch(() => undefined)) === undefined) nearest = dirname(nearest)
  return await access(nearest, constants.W_OK | constants.X_OK).then(
    () => undefined,
    () => nearest,
  )
}

/** Whether the server can write the backups that it is to make. */
export async function checkBackupFolder(config: Config): Promise<readonly Finding[]> {
  const plan = backupPlanOf(config)
  const closed = plan && (await findClosedFolder(plan.folder))
  if (closed === undefined) return []
  return [
    broken(
      'backups',
      `Backups cannot be written: this user cannot write in ${closed}.`,
      'run this as the user that runs the server, or point BACKUP_DIR at a folder of that user',
    ),
  ]
}

/**
 * Who can read the metrics. Route patterns and counts are no secrets, but they tell how busy a
 * school is.
 */
export function checkMetrics(config: Config): readonly Finding[] {
  const { METRICS_PORT: port, METRICS_HOST: host, METRICS_TOKEN: token } = config
  if (port === undefined) return []
  const place = `${host}:${port}`
  if (token !== undefined) return [fine('metrics', `Served on ${place}, with METRICS_TOKEN only.`)]
  if (listensOnLoopback(host)) return [fine('metrics', `Served on ${place}, to this machine only.`)]
  return [
    note(
      'metrics',
      `Served on ${place} to every program that can reach this address.`,
      'set METRICS_TOKEN, or leave METRICS_HOST out so that only this machine reads them',
    ),
  ]
}

/**
 * How long the database may take, in milliseconds. docs/limits.md has the same table for operators;
 * a test compares them. All hold per connection: they are set when it opens, so no statement pays
 * for them.
 */
export const TIME_OUTS = {
  /** To open a connection. */
  connect: 2_000,
  /** For a start and for commands: no request waits for them. */
  connectAlone: 10_000,
  /**
   * To ask the other hosts of a replicated database, before the first connection of a process is
   * used.
   */
  otherHosts: 1_000,
  /**
   * Work waits for a free connection of its class. A long import does not fail because of a short
   * rush.
   */
  wait: { stranger: 5_000, interactive: 5_000, batch: 30_000 },
  /** A statement on a connection that others wait for too: to wait for a lock. */
  sharedLock: 100,
  /**
   * A migration: to wait for the lock of a table, to pause, and how often. While it waits, every
   * request that wants the table waits behind it.
   */
  migrationLock: { waitMs: 2_000, pauseMs: 1_000, tries: 10 },
  /** A transaction that sends nothing. */
  idleTransaction: 60_000,
  /** How silent connections are found, see `SilenceWatch`. */
  silence: { lookMs: 250, doubtMs: 1_000, retryMs: 500 },
  /**
   * For a start and for commands: hours of work must not fail because a busy machine stood still.
   */
  doubtAlone: 5_000,
  /**
   * A connection that is silent for so much longer than its statements may take is closed.
   * PostgreSQL must always give up first: to close a shared connection fails the statements of all
   * requests on it.
   */
  beyondLimit: 500,
  /** But never before this, because a busy machine is late by itself. */
  shortestGiveUp: 2_000,
} as const

/** The patience of a start and of commands, for `openDatabase`. */
export const ALONE = {
  connectMs: TIME_OUTS.connectAlone,
  silence: { doubtMs: TIME_OUTS.doubtAlone },
} as const

/**
 * The classes of work, each with connections and a limit of its own, so that none takes the
 * connections of another: requests without a proven credential, those with one, and work that may
 * take long (imports, exports, analytics, searches of operators, maintenance).
 */
export const LANES = ['stranger', 'interactive', 'batch'] as const
export type Lane = (typeof LANES)[number]

/** How long a statement of each class may run. */
export type LaneTimeOuts = Readonly<Record<Lane, number>>

/** When a connection whose statements may take `limitMs` is given up. */
export function giveUpAfter(limitMs: number): number {
  return Math.max(limitMs + TIME_OUTS.beyondLimit, TIME_OUTS.shortestGiveUp)
}

/**
 * How much work of one school waits for a connection of each class. A page sends several statements
 * at once and fails if one is refused, so a line that is short for requests makes all of them fail:
 * time must bound it before its length does.
 */
export const LINES: Readonly<Record<Lane, number>> = {
  stranger: 2_000,
  interactive: 2_000,
  batch: 200,
}

/**
 * While so much work of one school waits for a connection of a class, its further requests wait at
 * the door: see `RequestLine`. Enough to keep the connections busy.
 */
export const CROWDED = 50

/** How many connections each class has, of `poolSize` and a little more. */
export function laneSizes(poolSize: number): Readonly<Record<Lane, number>> {
  return {
    stranger: Math.ceil(poolSize / 4),
    interactive: Math.ceil(poolSize / 2),
    batch: Math.ceil(poolSize / 3),
  }
}

/**
 * How many transactions of callers of one school run at once: fewer than one school may have
 * connections.
 */
export function writersOfSchool({ interactive }: Readonly<Record<Lane, number>>): number {
  return Math.max(3, Math.floor(interactive / 2))
}

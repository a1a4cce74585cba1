import pg from 'pg'

/**
 * Loaded into every contender before its own code, so it is plain JavaScript. Counts statements,
 * one per Sync of the extended protocol and one per simple query, and sends the number when asked.
 */
const { prototype } = pg.Connection
const { sync, query } = prototype
let statements = 0

prototype.sync = function () {
  statements++
  sync.call(this)
}
prototype.query = function (text) {
  statements++
  query.call(this, text)
}

process.on('message', (message) => {
  if (message === 'statements?') process.send({ kind: 'statements', statements })
})
// The timer must not keep a finished process alive.
process.channel?.unref()

import { chapter } from '../chapter.ts'

export const jobs = [
  chapter('house', 'product decision', {
    'jobs.announcement.background':
      'An announcement to more than a thousand enrollments is a job; the request that starts it sends nothing.',
    'jobs.crash': 'A job whose process dies goes on from its last step; no step happens twice.',
    'jobs.lease': 'A process that lost the lease of a job while it was paused writes nothing.',
    'jobs.cancel': 'A job can be cancelled; it ends after its step, and what was done stays.',
    'jobs.fair': 'Schools take turns: a school with many jobs does not keep another one waiting.',
    'jobs.one-per-school':
      'No more than one job of a school runs at a time, in all processes together.',
    'jobs.cap': 'A school has at most 20 jobs that wait or run; a further one is refused in words.',
    'jobs.rights': 'A job ends when the person or the app that started it may no longer do so.',
    'jobs.seen-by':
      'A token sees the jobs of its person and client for which it has the scopes, and no job of another school.',
    'jobs.audit': 'A job is one entry in the audit log, written when it ends.',
    'jobs.end-access.at-once':
      'All access of a client ends in the request that ends it, however many authorizations it has; a job only tidies up.',
    'jobs.delete-school':
      'A deleted school answers nowhere at once; a job removes everything that it has left, and touches no other school.',
    'house.usage':
      'Each process counts what the requests to a school cost, and an operator of the server reads it; no metric names a school.',
    'school.suspended.answer':
      'Every request to a suspended school is answered with 503, its name and Retry-After; probes and other schools are not concerned.',
    'school.suspended.clocks':
      'Nothing of a suspended school expires: tokens, sessions, secrets and what can be undone have the time left that they had.',
    'jobs.respond-async':
      'An import or export with Prefer: respond-async answers 202 with the address of its job; without it, it answers as always.',
    'jobs.file':
      'Only the person who started an export downloads its file, with the same client or in the admin area.',
    'jobs.tool':
      'A tool starts exports, which it answers with the id of a job, and tells how far a job is.',
    'jobs.recount':
      'The figures of a school can be counted anew as a job, in the admin area and over the REST API; they can be read meanwhile.',
    'jobs.kept': 'A finished job and its files are removed after seven days.',
  }),
]

import type { CourseSketch } from './school-content.ts'

const practicalTypeScript: CourseSketch = {
  slug: 'practical-typescript',
  title: 'Practical TypeScript',
  summary: 'Eight chapters from an empty folder to a typed service that you can hand over.',
  price: 4800,
  taughtBy: ['lecturer-one', 'lecturer-two'],
  sections: [
    {
      title: 'Setting the table',
      lectures: [
        'How this course works',
        'A project from an empty folder',
        'The compiler as a colleague',
        'Strict from day one',
        'Running without a build step',
        'Exercise: your first red squiggle',
      ],
    },
    {
      title: 'Shapes of data',
      lectures: [
        'Primitives, literals and unions',
        'Objects and what optional really means',
        'Lists, tuples and read-only views',
        'Narrowing by asking questions',
        'Discriminated unions',
        'Exercise: model a library card',
      ],
    },
    {
      title: 'Functions that explain themselves',
      unlockAfterDays: 14,
      lectures: [
        'Parameters and return types',
        'Overloads, and when to avoid them',
        'Generics without tears',
        'Constraints and defaults',
        'Callbacks and their context',
        'Exercise: a typed event bus',
      ],
    },
    {
      title: 'At the edge of the program',
      unlockInDays: -40,
      lectures: [
        'Unknown is a promise, any is a lie',
        'Parsing instead of checking',
        'Environment variables',
        'JSON from strangers',
        'Errors as values',
        'Exercise: a form that cannot lie',
      ],
    },
    {
      title: 'Talking to a database',
      lectures: [
        'Rows are not objects',
        'Query builders and their types',
        'Transactions in the signature',
        'Migrations you can read',
        'Dates, money and other traps',
        'Exercise: the bookings table',
      ],
    },
    {
      title: 'Testing what matters',
      unlockAfterDays: 30,
      lectures: [
        'What types already prove',
        'Tests that name a behaviour',
        'Property tests for parsers',
        'A real database in every test',
        'Reading a failing test',
        'Exercise: break your own code',
      ],
    },
    {
      title: 'Growing a codebase',
      unlockAfterDays: 90,
      lectures: [
        'Folders by capability',
        'Arrows that point one way',
        'Deleting code with confidence',
        'Upgrading the compiler',
        'Reviewing a pull request',
        'Exercise: move a module',
      ],
    },
    {
      title: 'Capstone: the course desk',
      unlockInDays: 21,
      lectures: [
        'The brief',
        'Drawing the boundaries',
        'First slice, end to end',
        'Making it boring',
        'Handing it over',
        'Your capstone review',
      ],
    },
  ],
}

const sql: CourseSketch = {
  slug: 'sql-from-the-ground-up',
  title: 'SQL from the Ground Up',
  summary: 'Ask a database good questions, then understand how it answers.',
  price: 3600,
  taughtBy: ['lecturer-two'],
  sections: [
    {
      title: 'One table',
      lectures: [
        'Rows, columns and nothing else',
        'Choosing and filtering',
        'Sorting is a promise',
        'Null, the absent value',
        'Quiz: one table',
      ],
    },
    {
      title: 'Many tables',
      lectures: [
        'Joins drawn by hand',
        'Outer joins and what they keep',
        'Grouping and counting',
        'Window functions',
        'Quiz: many tables',
      ],
    },
    {
      title: 'Under the hood',
      unlockAfterDays: 21,
      lectures: [
        'What an index is',
        'Reading a plan',
        'Locks you will meet',
        'Keys and constraints',
        'Quiz: under the hood',
      ],
    },
  ],
}

const typography: CourseSketch = {
  slug: 'typography-for-screens',
  title: 'Typography for Screens',
  summary: 'Set text that people finish reading, on any device.',
  price: 2400,
  taughtBy: ['lecturer-three'],
  sections: [
    {
      title: 'The text',
      lectures: ['Measure and rhythm', 'Size and contrast', 'Choosing a family', 'Numbers in text'],
    },
    {
      title: 'The page',
      lectures: ['Headings that lead', 'Tables worth reading', 'Small screens', 'Dark mode'],
    },
    { title: 'Wrapping up', lectures: ['Critique of a real page', 'Quiz: spot the mistake'] },
  ],
}

const smaller: readonly CourseSketch[] = [
  {
    slug: 'speaking-with-ease',
    title: 'Speaking with Ease',
    summary: 'Prepare less, breathe more, and be understood in any room.',
    price: 1800,
    taughtBy: ['lecturer-three'],
    sections: [
      {
        title: 'Before you speak',
        lectures: ['Who is listening', 'One sentence first', 'Notes that help', 'Breath'],
      },
      {
        title: 'On stage',
        lectures: ['The first minute', 'Pauses', 'Questions from the floor', 'Quiz: plan a talk'],
      },
    ],
  },
  {
    slug: 'mandarin-pronunciation-clinic',
    title: 'Mandarin Pronunciation Clinic',
    summary: 'Tones and finals for learners who are often asked to repeat themselves.',
    price: 2200,
    taughtBy: ['lecturer-one'],
    sections: [
      {
        title: 'Tones',
        lectures: ['Four tones and a light one', 'Tone pairs', 'Third tone in a hurry'],
      },
      {
        title: 'Sounds',
        lectures: ['Retroflex or not', 'The vowel ü', 'Finals with n and ng'],
      },
    ],
  },
  {
    slug: 'one-camera-one-lens',
    title: 'One Camera, One Lens',
    summary: 'A year of photographs with the simplest kit. No longer sold, still yours.',
    price: 1600,
    state: 'archived',
    taughtBy: ['lecturer-three'],
    sections: [
      { title: 'Looking', lectures: ['Light first', 'Edges of the frame', 'Waiting'] },
      { title: 'Keeping', lectures: ['Choosing ten', 'Printing one', 'Quiz: sequence'] },
    ],
  },
  {
    slug: 'watercolor-landscapes',
    title: 'Watercolor Landscapes',
    summary: 'Hills, water and weather in six washes.',
    price: 1500,
    taughtBy: ['lecturer-three'],
    sections: [
      { title: 'Washes', lectures: ['Flat and graded', 'Wet in wet', 'Lifting out'] },
      { title: 'Places', lectures: ['Far hills', 'Still water', 'A rainy street'] },
    ],
  },
  {
    slug: 'bookkeeping-for-freelancers',
    title: 'Bookkeeping for Freelancers',
    summary: 'Invoices, receipts and a quiet mind by the end of the month.',
    price: 1900,
    taughtBy: ['lecturer-two'],
    sections: [
      { title: 'Paper', lectures: ['What to keep', 'Numbering invoices', 'Receipts on the road'] },
      { title: 'Habit', lectures: ['The monthly hour', 'Setting tax aside', 'Quiz: a full month'] },
    ],
  },
  {
    slug: 'telling-stories-with-data',
    title: 'Telling Stories with Data',
    summary: 'Charts that answer one question each.',
    price: 2600,
    taughtBy: ['lecturer-two'],
    sections: [
      { title: 'Questions', lectures: ['What is being asked', 'Finding the data', 'Cleaning up'] },
      {
        title: 'Charts',
        unlockAfterDays: 120,
        lectures: ['Bars before pies', 'Time on a line', 'Annotating', 'Quiz: fix this chart'],
      },
    ],
  },
  {
    slug: 'home-recording',
    title: 'Home Recording',
    summary: 'A calm room, one microphone and a mix that travels.',
    price: 2100,
    taughtBy: ['lecturer-one'],
    sections: [
      { title: 'The room', lectures: ['Hearing your room', 'Blankets and corners', 'Noise'] },
      { title: 'The take', lectures: ['Placing a microphone', 'Levels', 'A first mix'] },
    ],
  },
  {
    slug: 'study-skills-starter',
    title: 'Study Skills Starter',
    summary: 'A free hour on how to learn online and keep going.',
    price: 0,
    taughtBy: ['lecturer-one'],
    sections: [
      { title: 'Start', lectures: ['Making a plan', 'Twenty minutes a day', 'Taking notes'] },
      { title: 'Continue', lectures: ['When you fall behind', 'Learning together'] },
    ],
  },
  {
    slug: 'negotiation-basics',
    title: 'Negotiation Basics',
    summary: 'In preparation: how to ask, and how to hear no.',
    price: 2000,
    state: 'draft',
    taughtBy: ['lecturer-three'],
    sections: [{ title: 'Opening', lectures: ['What do you want?', 'What do they want?'] }],
  },
]

export const demoCourses: readonly CourseSketch[] = [
  practicalTypeScript,
  sql,
  typography,
  ...smaller,
]

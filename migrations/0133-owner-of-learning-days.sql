comment on table learning_days is 'learning: who learned on a day; progress rows only remember the last time';

// Quiet when green: prints what failed, then one line that counts.
module.exports = class Reporter {
  onTestResult(_test, result) {
    if (result.failureMessage) process.stdout.write(`${result.testFilePath}\n${result.failureMessage}\n`);
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped ? `, ${skipped} skipped` : '';
    process.stdout.write(`${results.numPassedTests} passed, ${failed} failed${tail}\n`);
  }
};

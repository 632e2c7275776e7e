#!/usr/bin/env python3
"""conformance_test.py HOB PLUGINS: hob verify finds what is wrong with each of the plugins in the
folder PLUGINS, by the right test, and nothing else."""

import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

HOB, PLUGINS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

# Each component of a plugin, and the tests that must fail for it.
WRONG = {
    "wrong_stepping": {
        "optimizer/forgets_state": ["optimizer.resume_is_bitwise"],
        "optimizer/forgets_on_load": ["component.state_round_trip", "optimizer.resume_is_bitwise"],
        "optimizer/moves_without_lr": ["optimizer.stands_still_without_lr"],
        "optimizer/steps_first_group": ["optimizer.steps_every_parameter",
                                        "optimizer.bears_a_new_tensor"],
        "optimizer/ignores_skip": ["optimizer.skip_flag_changes_nothing"],
        "optimizer/ignores_decay": ["optimizer.applies_weight_decay"],
        "optimizer/keeps_tensors": ["optimizer.bears_missing_gradients",
                                    "optimizer.bears_a_new_tensor"],
        "schedule/fails_at_bounds": ["component.takes_values_at_bounds"],
        "schedule/refuses_bounds": [],
        "schedule/counts_calls": ["schedule.is_pure", "schedule.is_the_same_on_threads"],
        "schedule/goes_below_zero": ["schedule.is_finite_and_not_negative"],
        "schedule/divides_by_total": ["schedule.is_finite_and_not_negative"],
    },
    "wrong_data": {
        "dataset/numbers": [],
        "dataset/is_empty": ["dataset.has_samples_and_fields", "dataset.reads_whole_samples",
                             "dataset.is_the_same_in_a_new_instance",
                             "dataset.is_the_same_on_threads"],
        "dataset/writes_too_much": ["dataset.reads_whole_samples",
                                    "dataset.is_the_same_in_a_new_instance",
                                    "dataset.is_the_same_on_threads"],
        "dataset/leaves_a_gap": ["dataset.reads_whole_samples"],
        "dataset/wrong_labels": ["dataset.reads_whole_samples",
                                 "dataset.is_the_same_in_a_new_instance",
                                 "dataset.is_the_same_on_threads"],
        "dataset/differs_by_instance": ["dataset.is_the_same_in_a_new_instance"],
        "transform/renames": ["transform.writes_whole_samples",
                              "transform.depends_on_the_sample_alone",
                              "transform.is_the_same_on_threads"],
        "transform/changes_its_input": ["transform.writes_whole_samples",
                                        "transform.depends_on_the_sample_alone",
                                        "transform.is_the_same_on_threads"],
        "transform/depends_on_order": ["transform.writes_whole_samples",
                                       "transform.depends_on_the_sample_alone",
                                       "transform.is_the_same_on_threads"],
    },
    "wrong_learning": {
        "objective/squares": [],
        "objective/negative_weights": ["objective.weights_are_finite_and_add_up"],
        "objective/averages": ["objective.is_decomposable"],
        "objective/stops_gradients": ["objective.sums_are_differentiable"],
        "metric/mean": [],
        "metric/mean_of_means": ["metric.sums_add_up"],
        "metric/infinite_when_empty": ["metric.finishes_without_a_batch"],
        "metric/two_of_a_name": ["metric.has_named_results"],
        "model/linear": [],
        "model/drops_in_evaluation": ["model.evaluation_is_repeatable",
                                      "model.gradients_are_right"],
        "model/wrong_gradient": ["model.gradients_are_right"],
        "model/no_gradient": ["model.gradients_flow", "model.gradients_are_right"],
        "model/counts_in_evaluation": ["model.evaluation_is_repeatable"],
    },
    "wrong_attached": {
        "precision/integer_parameters": ["precision.plans_types_that_exist"],
        "memory/halves_weights": ["memory.keeps_every_number"],
        "compression/loses_its_branch": ["compression.finalize_keeps_the_outputs"],
        "compression/never_folds": ["compression.finalize_keeps_the_outputs"],
        "compression/freezes_all": ["compression.trains"],
        "callback/keeps_other_weights": ["callback.changes_parameters_where_it_may"],
        "callback/acts_too_early": ["callback.changes_parameters_where_it_may"],
        "callback/forgets_its_count": ["callback.resume_is_bitwise"],
        "monitor/writes_a_weight": ["monitor.changes_nothing"],
        "monitor/freezes_a_weight": ["monitor.changes_nothing"],
        "monitor/wants_the_impossible": ["component.creates"],
    },
}


def verify(plugin, *arguments):
    done = subprocess.run([HOB, "--json", "verify", PLUGINS / f"{plugin}.so", *arguments], text=True,
                          capture_output=True)
    (file,) = json.loads(done.stdout)["files"]
    return done.returncode, file["tests"]


class Wrong(unittest.TestCase):
    def check(self, plugin):
        code, tests = verify(plugin)
        self.assertEqual(code, 1)
        failed = {component: [] for component in WRONG[plugin]}
        for test in tests:
            component = test.get("component")
            if test["result"] in ("fail", "crash", "timeout"):
                self.assertEqual(test["result"], "fail", test)
                self.assertTrue(test["message"], test)
                failed[component].append(test["test"])
        self.assertEqual(failed, WRONG[plugin])

    def test_optimizers_and_schedules(self):
        self.check("wrong_stepping")

    def test_datasets_and_transforms(self):
        self.check("wrong_data")

    def test_objectives_metrics_and_models(self):
        self.check("wrong_learning")

    def test_what_acts_on_a_model(self):
        self.check("wrong_attached")


class Endings(unittest.TestCase):
    """One component each that does something to its process, by one test."""

    def one(self, component, test, *arguments):
        code, tests = verify("wrong_endings", "--component", component, "--reproduce", f"{test}:7",
                             *arguments)
        (only,) = tests
        self.assertEqual((code, only["test"], only["seed"]), (1, test, 7), only)
        return only

    def test_a_step_that_never_ends_is_ended_at_the_limit(self):
        start = time.monotonic()
        test = self.one("optimizer/hangs", "optimizer.is_deterministic", "--timeout", "5")
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(test["result"], "timeout")
        self.assertIn("did not end within 5", test["message"])
        self.assertEqual(test["output"], "about to wait")

    def test_a_step_that_crashes_is_told_with_its_signal_and_its_last_words(self):
        test = self.one("optimizer/crashes", "optimizer.is_deterministic")
        self.assertEqual(test["result"], "crash")
        self.assertIn("signal 11", test["message"])
        self.assertEqual(test["output"], "about to crash")

    def test_a_step_that_exits_has_not_passed(self):
        test = self.one("optimizer/exits", "optimizer.is_deterministic")
        self.assertEqual(test["result"], "crash")
        self.assertIn("exit code 0", test["message"])

    def test_a_destructor_that_crashes_is_told(self):
        test = self.one("optimizer/crashes_in_destructor", "component.creates")
        self.assertEqual(test["result"], "crash")
        self.assertIn("signal 6", test["message"])

    def test_a_static_object_that_crashes_at_the_end_of_the_process_is_told(self):
        test = self.one("schedule/crashes_at_end", "component.creates")
        self.assertEqual(test["result"], "crash")
        self.assertIn("signal 6", test["message"])
        self.assertIn("after the test itself was over", test["message"])

    def test_an_exception_in_the_constructor_is_told_once(self):
        code, tests = verify("wrong_endings", "--component", "optimizer/throws_in_constructor")
        self.assertEqual(code, 1)
        self.assertEqual([(t["test"], t["result"]) for t in tests],
                         [("plugin.loads", "pass"), ("component.creates", "fail")])
        self.assertIn("no luck today", tests[1]["message"])

    def test_a_call_that_leaves_the_process_changed_is_told_what_it_changed(self):
        for component, test, change in (
                ("schedule/stops_recording", "schedule.is_finite_and_not_negative",
                 "factor left the process changed: gradient recording was on and is off"),
                ("optimizer/rounds_down", "optimizer.steps_every_parameter",
                 "step left the process changed: the mode of floating-point numbers"),
                ("optimizer/draws", "optimizer.steps_every_parameter",
                 "step left the process changed: LibTorch's own random numbers were drawn")):
            only = self.one(component, test)
            self.assertEqual(only["result"], "fail")
            self.assertIn(change, only["message"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
